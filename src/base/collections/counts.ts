/** Values by what they have in common: how many there are of each, and which. */

/** Each value once, with how often it is there: the commonest first, and else in their order. */
export function counted<T>(values: Iterable<T>): [value: T, count: number][] {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)
}

/** The values by their key, the keys and the values of each in their order. */
export function groupedBy<Key, T>(
  values: Iterable<T>,
  keyOf: (value: T) => Key,
): [key: Key, group: T[]][] {
  const groups = new Map<Key, T[]>()
  for (const value of values) {
    const key = keyOf(value)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return [...groups]
}
