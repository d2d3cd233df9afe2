/** Words that the sentences of several studies share. */

/** Lists names, for example `node, virtual and k6`. */
export function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}
