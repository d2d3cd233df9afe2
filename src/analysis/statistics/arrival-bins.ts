/** Times in order of arrival, kept coarsely, so that the series of those above any bound can be told afterwards. */
import type { Bin } from './batches.ts'

const MOST_BINS = 64

/** Edges at 2^(k/8): 9 % wide. */
const BUCKETS_PER_OCTAVE = 8

/** Counts by bucket; sparse. */
type Counts = Map<number, number>

interface Held {
  ended: Counts
  censored: Counts
}

/**
 * At most 64 bins over the order of arrival (a number from 0 on: an index, or a time where arrivals come evenly). They double in width
 * when an arrival lies beyond the last; observations may come in any order. Times are counted in buckets 9 % wide, so that a bin holds at
 * most 300 counts for 1 us to 24 h.
 */
export class ArrivalBins {
  #width: number
  #bins: Held[] = []

  /** Of a bin at first, in units of the order. */
  constructor(width = 1) {
    this.#width = width
  }

  /** `value` is above 0, Infinity for what never ends. */
  record(order: number, value: number): void {
    count(this.#at(order).ended, bucketOf(value), 1)
  }

  /** Watched for `value` without an end. */
  recordCensored(order: number, value: number): void {
    count(this.#at(order).censored, bucketOf(value), 1)
  }

  /**
   * In each bin the observations known to lie on one side of `bound`, and how many of them lie above it. A bucket counts as above when
   * the larger part of it does, in logarithms.
   */
  above(bound: number): Bin[] {
    const from = Math.ceil(BUCKETS_PER_OCTAVE * Math.log2(Math.max(1, bound)) - 0.5)
    return this.#bins.map(({ ended, censored }) => {
      const over = countFrom(ended, from) + countFrom(censored, from)
      return { n: over + countFrom(ended, -Infinity) - countFrom(ended, from), hits: over }
    })
  }

  #at(order: number): Held {
    while (order >= MOST_BINS * this.#width) this.#fold()
    const at = Math.floor(order / this.#width)
    while (this.#bins.length <= at) this.#bins.push({ ended: new Map(), censored: new Map() })
    return this.#bins[at]!
  }

  #fold(): void {
    this.#width *= 2
    const folded: Held[] = []
    for (const [at, bin] of this.#bins.entries()) {
      const first = folded[Math.floor(at / 2)]
      if (first === undefined) folded.push(bin)
      else merge(first, bin)
    }
    this.#bins = folded
  }
}

function bucketOf(value: number): number {
  return value === Infinity
    ? Infinity
    : Math.floor(BUCKETS_PER_OCTAVE * Math.log2(Math.max(1, value)))
}

function count(counts: Counts, bucket: number, by: number): void {
  counts.set(bucket, (counts.get(bucket) ?? 0) + by)
}

function merge(into: Held, from: Held): void {
  for (const [bucket, by] of from.ended) count(into.ended, bucket, by)
  for (const [bucket, by] of from.censored) count(into.censored, bucket, by)
}

function countFrom(counts: Counts, from: number): number {
  let sum = 0
  for (const [bucket, by] of counts) if (bucket >= from) sum += by
  return sum
}
