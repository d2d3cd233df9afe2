/** A profile that is given as its text, where a name or a file could be. */

/** YAML or JSON, in one line or several. A path may have a colon, as on Windows. */
export function isProfileText(profile: string): boolean {
  if (profile.includes('\n')) return true
  return /^\s*\{|:\s/.test(profile) && !/\.ya?ml$/.test(profile)
}

/** The text of a profile that a program gives: JSON, which is YAML too, its name first. */
export function profileText(written: object): string {
  return `${JSON.stringify({ name: UNNAMED, ...written }, null, 1)}\n`
}

/** The name in what `profileText` made; YAML that a person wrote has none here. */
export function nameInText(text: string): string {
  try {
    return (JSON.parse(text) as { name?: string }).name ?? UNNAMED
  } catch {
    return UNNAMED
  }
}

const UNNAMED = 'profile'
