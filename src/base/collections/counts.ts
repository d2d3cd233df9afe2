/** Each value once, with how often it is there: the commonest first, and else in their order. */
export function counted<T>(values: Iterable<T>): [value: T, count: number][] {
  const counts = new Map<T, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)
}
