/**
 * The only module that uses hdr-histogram-js: WebAssembly for counting, its JavaScript
 * implementation for reading buckets back.
 */
import type { Histogram, JsHistogram } from 'hdr-histogram-js'
import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  initWebAssemblySync,
} from 'hdr-histogram-js'
import type { Bucket } from '../../analysis/statistics/sample.ts'

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
export function buildHdr(highest: number): Histogram {
  prepareHdr()
  return build({
    bitBucketSize: 64,
    autoResize: false,
    lowestDiscernibleValue: 1,
    highestTrackableValue: highest,
    numberOfSignificantValueDigits: 3,
    useWebAssembly: true,
  })
}

export function encodeHdr(histogram: Histogram): string {
  return encodeIntoCompressedBase64(histogram)
}

/**
 * The library has no bucket iterator for its WebAssembly histograms, so the histogram is encoded
 * and decoded as a JavaScript one, which has an iterator.
 */
export function hdrBuckets(histogram: Histogram): Bucket[] {
  return decodedBuckets(encodeIntoCompressedBase64(histogram, FASTEST))
}

/**
 * Each filled bucket by its highest equivalent value, in rising order. Throws when the text is not
 * a compressed V2 histogram.
 */
export function decodedBuckets(base64: string): Bucket[] {
  const decoded = decodeFromCompressedBase64(base64, 64, false) as JsHistogram
  const buckets: Bucket[] = []
  for (let index = 0; index < decoded.countsArrayLength; index++) {
    const count = decoded.getCountAtIndex(index)
    if (count > 0) {
      buckets.push({ value: decoded.highestEquivalentValue(decoded.valueFromIndex(index)), count })
    }
  }
  return buckets
}

const FASTEST = 1

export type { Histogram as HdrHistogram }
