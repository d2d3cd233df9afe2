/** A profile that is given as its text, where a name or a file could be. */

/** A name and a path of a file have one line. */
export function isProfileText(profile: string): boolean {
  return profile.includes('\n')
}

/** The text of a profile that a program gives: JSON, which is YAML too, its name first. */
export function profileText(written: object): string {
  return `${JSON.stringify({ name: UNNAMED, ...written }, null, 1)}\n`
}

/** The name in what `profileText` made. */
export function nameInText(text: string): string {
  return (JSON.parse(text) as { name: string }).name
}

const UNNAMED = 'profile'
