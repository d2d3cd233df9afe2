/** Lists names in a sentence: `node, virtual and k6`. */
export function listed(names: readonly string[], word: 'and' | 'or' = 'and'): string {
  const last = names.at(-1) ?? ''
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} ${word} ${last}`
}
