/** What analysis needs of many measured times, whoever counts them and however finely. */

/** Values in integer microseconds; a value read back stands for its bucket's upper edge. */
export interface Sample {
  readonly n: number
  /** Exact; null when empty. */
  readonly min: number | null
  readonly max: number | null
  readonly sum: number
  /** Recorded values outside the range that can be counted; they stand at its nearest edge. */
  readonly clamped: number
  /** The `rank`-th smallest value, rank from 1 to n. */
  atRank(rank: number): number
  /** Rising values, counts above 0. */
  buckets(): readonly Bucket[]
}

export interface Bucket {
  value: number
  count: number
}

/** Times to an event, and times watched in vain: for the latter only "longer than this" is known. */
export interface Lifetimes {
  ended: Sample
  censored: Sample
}

export const EMPTY_SAMPLE: Sample = {
  n: 0,
  min: null,
  max: null,
  sum: 0,
  clamped: 0,
  atRank: () => Number.NaN,
  buckets: () => [],
}

/** A sample in which nothing is censored. */
export function uncensored(ended: Sample): Lifetimes {
  return { ended, censored: EMPTY_SAMPLE }
}
