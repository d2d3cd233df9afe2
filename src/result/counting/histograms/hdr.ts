/**
 * The only module that uses hdr-histogram-js: WebAssembly for counting, its JavaScript
 * implementation for telling the buckets.
 */
import type { JsHistogram, WasmHistogram } from 'hdr-histogram-js'
import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  initWebAssemblySync,
} from 'hdr-histogram-js'
import { doDecode } from 'hdr-histogram-js/dist/JsHistogram.encoding.js'
import type { Bucket } from '../../statistics/sample.ts'

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
export function buildHdr(highest: number): WasmHistogram {
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

export function encodeHdr(histogram: WasmHistogram): string {
  return encodeIntoCompressedBase64(histogram)
}

/** The highest equivalent value of the `rank`-th smallest value, rank from 1 to `totalCount`. */
export function hdrAtRank(histogram: WasmHistogram, rank: number): number {
  // The library rounds the count up: half a value less keeps the division from going over `rank`.
  return histogram.getValueAtPercentile(((rank - 0.5) / histogram.totalCount) * 100)
}

/**
 * Each filled bucket by its highest equivalent value, in rising order: the library reads counts
 * only from its JavaScript histograms.
 */
export function hdrBuckets(histogram: WasmHistogram): Bucket[] {
  return bucketsOf(doDecode(histogram.encode(), COUNT_BITS))
}

/** The same of a text; throws when it is not a compressed V2 histogram. */
export function decodedBuckets(base64: string): Bucket[] {
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

export type { WasmHistogram as HdrHistogram }
