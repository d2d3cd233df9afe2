/** Samples of known values, kept exactly. */
import type { Bucket, Counting } from '../../src/result/statistics/sample.ts'

export function exactSample(values: readonly number[]): Counting {
  const sorted = values.toSorted((a, b) => a - b)
  const counts = new Map<number, number>()
  for (const value of sorted) counts.set(value, (counts.get(value) ?? 0) + 1)
  const buckets: Bucket[] = [...counts].map(([value, count]) => ({ value, count }))
  return {
    n: sorted.length,
    min: sorted[0] ?? null,
    max: sorted.at(-1) ?? null,
    sum: sorted.reduce((sum, value) => sum + value, 0),
    clamped: 0,
    atRank: (rank) => sorted[rank - 1] ?? Number.NaN,
    buckets: () => buckets,
    record: notGrowing,
    remove: notGrowing,
    add: notGrowing,
  }
}

function notGrowing(): never {
  throw new Error('a sample of known values does not grow')
}

/** 1, 2, ... n. */
export function ranksUpTo(n: number): Counting {
  return exactSample(Array.from({ length: n }, (_, i) => i + 1))
}
