/**
 * The operations that the analysis needs on many measured times, whatever counts them and at
 * whatever resolution.
 */

/** Values in integer microseconds; a value read back stands for its bucket's upper edge. */
export interface Sample {
  readonly n: number
  /** Exact; null if empty. */
  readonly min: number | null
  readonly max: number | null
  readonly sum: number
  /** Recorded values outside the countable range; they are counted at its nearest limit. */
  readonly clamped: number
  /** The `rank`-th smallest value, rank from 1 to n. */
  atRank(rank: number): number
  /** Increasing values, counts above 0. */
  buckets(): readonly Bucket[]
}

/** A sample that can still grow. */
export interface Counting extends Sample {
  record(micros: number): void
  /** Takes back one that was recorded; `min` and `max` stay. */
  remove(micros: number): void
  /** The other is of the same kind. */
  add(other: this): void
}

export interface Bucket {
  value: number
  count: number
}

/** The `rank`-th smallest value of the buckets' values; NaN when there are fewer. */
export function valueAtRank(buckets: readonly Bucket[], rank: number): number {
  let seen = 0
  for (const { value, count } of buckets) {
    seen += count
    if (seen >= rank) return value
  }
  return Number.NaN
}

/**
 * Times to an event, censored times, of which only "longer than this" is known, and events that are
 * known never to come.
 */
export interface Lifetimes<S extends Sample = Sample> {
  ended: S
  censored: S
  /** Their number: each is longer than any time. */
  never: number
  /** Of which nothing is known: each may be any value. Missing for none. */
  unknown?: number
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

/** None yet. */
export function lifetimesIn<S extends Sample>(createSample: () => S): Lifetimes<S> {
  return { ended: createSample(), censored: createSample(), never: 0 }
}

export function addLifetimes<S extends Counting>(to: Lifetimes<S>, other: Lifetimes<S>): void {
  to.ended.add(other.ended)
  to.censored.add(other.censored)
  to.never += other.never
}

/** A sample in which every event came. */
export function uncensored(ended: Sample): Lifetimes {
  return { ended, censored: EMPTY_SAMPLE, never: 0 }
}

/** Observations of all kinds. */
export function sizeOf({ ended, censored, never, unknown = 0 }: Lifetimes): number {
  return ended.n + censored.n + never + unknown
}

/** Says on which side of a bound each observation lies. */
interface Sides {
  atOrBelow: number
  /** This includes those that never end, and those that were observed beyond the bound. */
  above: number
  /** Observed for less than the bound, without an end, or not known at all. */
  undetermined: number
}

/**
 * "p95 < b" says that the share above b is below 5 %: these are its counts. `bound` in the samples'
 * unit.
 */
export function sidesOf(lifetimes: Lifetimes, bound: number): Sides {
  const { ended, censored, never, unknown = 0 } = lifetimes
  const atOrBelow = countUpTo(ended, bound, true)
  const watched = countUpTo(censored, bound, false)
  return {
    atOrBelow,
    above: ended.n - atOrBelow + (censored.n - watched) + never,
    undetermined: watched + unknown,
  }
}

function countUpTo(sample: Sample, bound: number, isInclusive: boolean): number {
  let sum = 0
  for (const { value, count } of sample.buckets()) {
    if (!(value < bound || (isInclusive && value === bound))) break
    sum += count
  }
  return sum
}
