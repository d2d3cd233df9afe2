/**
 * HDR histograms of integer microseconds, up to 24 h at 3 significant digits, behind the interface
 * that the analysis reads.
 */
import type { Bucket, Sample } from '../../analysis/statistics/sample.ts'
import { valueAtRank } from '../../analysis/statistics/sample.ts'
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
  min: number | null = null
  max: number | null = null
  sum = 0
  clamped = 0
  #hdr: HdrHistogram | null = null
  /**
   * The last value, and how often it came since it was last counted. Values repeat (in virtual time
   * nothing is late, and most requests do not wait for a socket), and to count one costs more than
   * all the rest of `record`.
   */
  #repeated = 0
  #repeats = 0
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

  record(micros: number): void {
    if (!Number.isFinite(micros)) return
    this.#add(Math.round(micros), 1)
  }

  add(other: Histogram): void {
    for (const { value, count } of other.buckets()) this.#add(value, count)
    this.sum += other.sum - sumOf(other.buckets())
    this.clamped += other.clamped
    this.min = least(this.min, other.min)
    this.max = most(this.max, other.max)
  }

  atRank(rank: number): number {
    return valueAtRank(this.buckets(), rank)
  }

  buckets(): readonly Bucket[] {
    const hdr = this.#counted()
    if (hdr === null) return []
    this.#buckets ??= hdrBuckets(hdr).map(({ value, count }) => ({
      value: Math.min(Math.max(value, this.min ?? value), this.max ?? value),
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
    this.#repeats = 0
    this.n = 0
  }

  /** Null before the first value. */
  #counted(): HdrHistogram | null {
    if (this.#repeats > 0) {
      this.#hdr ??= buildHdr(HIGHEST_MICROS)
      this.#hdr.recordValueWithCount(this.#repeated, this.#repeats)
      this.#repeats = 0
    }
    return this.#hdr
  }

  #add(value: number, count: number): void {
    const inside = Math.min(Math.max(value, 0), HIGHEST_MICROS)
    if (inside !== value) this.clamped += count
    if (inside !== this.#repeated) this.#counted()
    this.#repeated = inside
    this.#repeats += count
    this.#buckets = null
    this.n += count
    this.sum += inside * count
    this.min = least(this.min, inside)
    this.max = most(this.max, inside)
  }
}

function least(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b)
}

function most(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b)
}

function sumOf(buckets: readonly Bucket[]): number {
  return buckets.reduce((sum, { value, count }) => sum + value * count, 0)
}
