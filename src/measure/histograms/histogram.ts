/**
 * HDR histograms of integer microseconds, up to 24 h at 3 significant digits, behind the interface
 * that the analysis reads.
 */
import type { Bucket, Sample } from '../../analysis/statistics/sample.ts'
import { valueAtRank } from '../../analysis/statistics/sample.ts'
import { KeyCounts } from './key-counts.ts'
import type { HdrHistogram } from './hdr.ts'
import { buildHdr, decodedBuckets, encodeHdr, hdrBuckets } from './hdr.ts'

export const HIGHEST_MICROS = 24 * 3_600 * 1_000_000

/**
 * Values below 0 or over 24 h are clamped and counted; a value that is not a finite number is
 * ignored. n, min, max and sum are exact; ranks and buckets are within 0.1 % (1 us below 2 ms). It
 * holds memory outside the JavaScript heap from the first value on: call `destroy`.
 */
export class Histogram implements Sample {
  n = 0
  sum = 0
  clamped = 0
  #min = Infinity
  #max = -Infinity
  #hdr: HdrHistogram | null = null
  /** What `#hdr` has not counted yet, by bucket: to count a value there costs a call each. */
  readonly #fresh = new KeyCounts()
  #isFresh = false
  #buckets: Bucket[] | null = null

  static of(values: Iterable<number>): Histogram {
    const histogram = new Histogram()
    for (const value of values) histogram.record(value)
    return histogram
  }

  /**
   * Decodes what `encode` wrote; the exact sum is lost and is estimated from the buckets. Throws on
   * any other text.
   */
  static decode(base64: string): Histogram {
    const histogram = new Histogram()
    for (const { value, count } of decodedBuckets(base64)) histogram.#add(value, count)
    return histogram
  }

  get min(): number | null {
    return this.#min === Infinity ? null : this.#min
  }

  get max(): number | null {
    return this.#max === -Infinity ? null : this.#max
  }

  record(micros: number): void {
    if (!Number.isFinite(micros)) return
    this.#add(Math.round(micros), 1)
  }

  add(other: Histogram): void {
    for (const { value, count } of other.buckets()) this.#add(value, count)
    this.sum += other.sum - sumOf(other.buckets())
    this.clamped += other.clamped
    this.#min = Math.min(this.#min, other.#min)
    this.#max = Math.max(this.#max, other.#max)
  }

  atRank(rank: number): number {
    return valueAtRank(this.buckets(), rank)
  }

  buckets(): readonly Bucket[] {
    const hdr = this.#counted()
    if (hdr === null) return []
    this.#buckets ??= hdrBuckets(hdr).map(({ value, count }) => ({
      value: Math.min(Math.max(value, this.#min), this.#max),
      count,
    }))
    return this.#buckets
  }

  /** V2 compressed base64 (`HISTFAAA...`), which the Java, C, Rust and C# ports read. */
  encode(): string {
    const hdr = this.#counted()
    if (hdr !== null) return encodeHdr(hdr)
    const empty = buildHdr(HIGHEST_MICROS)
    const text = encodeHdr(empty)
    empty.destroy()
    return text
  }

  destroy(): void {
    this.#hdr?.destroy()
    this.#hdr = null
    this.#fresh.clear()
    this.#isFresh = false
    this.n = 0
  }

  /** Null before the first value. */
  #counted(): HdrHistogram | null {
    if (this.#isFresh) {
      const hdr = (this.#hdr ??= buildHdr(HIGHEST_MICROS))
      this.#fresh.each((bucket, count) => hdr.recordValueWithCount(leastOf(bucket), count))
      this.#fresh.clear()
      this.#isFresh = false
    }
    return this.#hdr
  }

  #add(value: number, count: number): void {
    const inside = Math.min(Math.max(value, 0), HIGHEST_MICROS)
    if (inside !== value) this.clamped += count
    this.#fresh.add(bucketOf(inside), count)
    this.#isFresh = true
    this.#buckets = null
    this.n += count
    this.sum += inside * count
    if (inside < this.#min) this.#min = inside
    if (inside > this.#max) this.#max = inside
  }
}

/** With 3 significant digits, a bucket holds one value below this, and several from there on. */
const SINGLE = 2_048
const HALF = SINGLE / 2
/** 2^10 = `HALF`. */
const HALF_BITS = 10

/**
 * The bucket of HDR histograms with 3 significant digits: single values up to 2,047, and from there
 * on 1,024 buckets of equal width for each power of two.
 */
function bucketOf(value: number): number {
  if (value < SINGLE) return value
  const doublings = bitsOf(value) - HALF_BITS
  return doublings * HALF + Math.floor(value / 2 ** doublings)
}

/** The least value of a bucket. */
function leastOf(bucket: number): number {
  if (bucket < SINGLE) return bucket
  const doublings = Math.floor(bucket / HALF) - 1
  return (bucket - doublings * HALF) * 2 ** doublings
}

/** The whole part of the logarithm to base 2 of a value from 1 on, up to 2^53. */
function bitsOf(value: number): number {
  const high = Math.floor(value / 2 ** 32)
  return high > 0 ? 63 - Math.clz32(high) : 31 - Math.clz32(value)
}

function sumOf(buckets: readonly Bucket[]): number {
  return buckets.reduce((sum, { value, count }) => sum + value * count, 0)
}
