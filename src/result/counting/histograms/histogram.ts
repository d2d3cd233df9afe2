/**
 * HDR histograms of integer microseconds, up to 24 h at 3 significant digits, behind the interface
 * that the analysis reads.
 */
import type { Bucket, Sample } from '../../statistics/sample.ts'
import type { HdrHistogram } from './hdr.ts'
import { buildHdr, decodedBuckets, encodeHdr, hdrAtRank, hdrBuckets } from './hdr.ts'

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
    return this.#hdr === null ? Number.NaN : this.#told(hdrAtRank(this.#hdr, rank))
  }

  buckets(): readonly Bucket[] {
    if (this.#hdr === null) return []
    this.#buckets ??= hdrBuckets(this.#hdr).map(({ value, count }) => ({
      value: this.#told(value),
      count,
    }))
    return this.#buckets
  }

  /** V2 compressed base64 (`HISTFAAA...`), which the Java, C, Rust and C# ports read. */
  encode(): string {
    if (this.#hdr !== null) return encodeHdr(this.#hdr)
    const empty = buildHdr(HIGHEST_MICROS)
    const text = encodeHdr(empty)
    empty.destroy()
    return text
  }

  destroy(): void {
    this.#hdr?.destroy()
    this.#hdr = null
    this.#buckets = null
    this.n = 0
  }

  #told(value: number): number {
    return Math.min(Math.max(value, this.#min), this.#max)
  }

  #add(value: number, count: number): void {
    const inside = Math.min(Math.max(value, 0), HIGHEST_MICROS)
    if (inside !== value) this.clamped += count
    this.#hdr ??= buildHdr(HIGHEST_MICROS)
    this.#hdr.recordValueWithCount(inside, count)
    this.#buckets = null
    this.n += count
    this.sum += inside * count
    if (inside < this.#min) this.#min = inside
    if (inside > this.#max) this.#max = inside
  }
}

function sumOf(buckets: readonly Bucket[]): number {
  return buckets.reduce((sum, { value, count }) => sum + value * count, 0)
}
