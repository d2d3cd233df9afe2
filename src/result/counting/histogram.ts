/**
 * HDR histograms of integer microseconds, up to 24 h at 3 significant digits, behind the interface
 * that the analysis reads.
 */
import type { Bucket, Sample } from '../statistics/sample.ts'
import { valueAtRank } from '../statistics/sample.ts'
import type { WasmHistogram } from 'hdr-histogram-js'
import type { doDecode } from 'hdr-histogram-js/dist/JsHistogram.encoding.js'
import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  initWebAssemblySync,
  JsHistogram,
} from 'hdr-histogram-js'
import type { ResultDocument } from '../document.ts'
import { MICROS_PER_MS } from '../../base/units.ts'

const MS_PER_SECOND = 1_000

/**
 * `histograms.hlog` of a run, in the log format 1.3 with tags of WasmHistogram: each of its
 * histograms as one interval over the whole run.
 */
export function histogramLog({ run, histograms }: ResultDocument): string {
  const startedAtSeconds = (Date.parse(run.startedAt) / MS_PER_SECOND).toFixed(3)
  const lines = [
    '#[Logged by crewload; values in microseconds, Interval_Max in milliseconds]',
    '#[Histogram log format version 1.3]',
    `#[StartTime: ${startedAtSeconds} (seconds since epoch), ${run.startedAt}]`,
    '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
    ...Object.entries(histograms).map(([name, base64]) =>
      intervalLine(name, base64, run.durationMs / MS_PER_SECOND),
    ),
  ]
  return `${lines.join('\n')}\n`
}

/** A tag ends at the first comma and must not contain a space. */
function intervalLine(name: string, base64: string, lengthSeconds: number): string {
  const histogram = Histogram.decode(base64)
  const maxMs = (histogram.max ?? 0) / MICROS_PER_MS
  histogram.destroy()
  const numbers = [0, lengthSeconds, maxMs].map((value) => value.toFixed(3))
  return [`Tag=${name.replaceAll(/[\s,]+/g, '_')}`, ...numbers, base64].join(',')
}

/** Counts go beyond 2^31. */
const COUNT_BITS = 64

let ready = false

/**
 * Compiles the WebAssembly, which takes tens of milliseconds: call it before a run's clock starts.
 */
export function prepareHdr(): void {
  if (!ready) initWebAssemblySync()
  ready = true
}

/**
 * Counts from 0 to `highest` with 3 significant digits; a value above `highest` throws. Call
 * `destroy` to free it.
 */
function buildHdr(highest: number): WasmHistogram {
  prepareHdr()
  return build({
    bitBucketSize: COUNT_BITS,
    autoResize: false,
    lowestDiscernibleValue: 1,
    highestTrackableValue: highest,
    numberOfSignificantValueDigits: 3,
    useWebAssembly: true,
  }) as WasmHistogram
}

function encodeHdr(histogram: WasmHistogram): string {
  return encodeIntoCompressedBase64(histogram)
}

/** The types of the library's index do not have it. */
const decode: typeof doDecode = JsHistogram.decode

/**
 * Each filled bucket by its highest equivalent value, in rising order: the library reads counts
 * only from its JavaScript histograms.
 */
function hdrBuckets(histogram: WasmHistogram): Bucket[] {
  return bucketsOf(decode(histogram.encode(), COUNT_BITS))
}

/** The same of a text; throws when it is not a compressed V2 histogram. */
function decodedBuckets(base64: string): Bucket[] {
  return bucketsOf(decodeFromCompressedBase64(base64, COUNT_BITS, false) as JsHistogram)
}

function bucketsOf(histogram: JsHistogram): Bucket[] {
  if (histogram.totalCount === 0) return []
  const buckets: Bucket[] = []
  const last = histogram.countsArrayIndex(histogram.maxValue)
  for (let index = 0; index <= last; index++) {
    const count = histogram.getCountAtIndex(index)
    if (count === 0) continue
    buckets.push({ value: histogram.valueFromIndex(index + 1) - 1, count })
  }
  return buckets
}

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
  #hdr: WasmHistogram | null = null
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

  remove(micros: number): void {
    const one = Histogram.of([micros])
    if (one.#hdr !== null) this.#hdr?.subtract(one.#hdr)
    this.#buckets = null
    this.n -= one.n
    this.sum -= one.sum
    this.clamped -= one.clamped
    one.destroy()
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
    if (this.#hdr === null) return []
    this.#buckets ??= hdrBuckets(this.#hdr).map(({ value, count }) => ({
      value: this.#shown(value),
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

  #shown(value: number): number {
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
