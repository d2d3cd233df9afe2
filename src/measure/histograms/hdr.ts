/**
 * The only module that uses hdr-histogram-js: WebAssembly for counting, its JavaScript
 * implementation for reading texts back.
 */
import type { JsHistogram, WasmHistogram } from 'hdr-histogram-js'
import {
  build,
  decodeFromCompressedBase64,
  encodeIntoCompressedBase64,
  initWebAssemblySync,
} from 'hdr-histogram-js'
import type { Bucket } from '../../analysis/statistics/sample.ts'

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

/**
 * Each filled bucket by its highest equivalent value, in rising order: the library reads counts
 * only from its JavaScript histograms. Throws when the text is not a compressed V2 histogram.
 */
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
    const value = histogram.highestEquivalentValue(histogram.valueFromIndex(index))
    buckets.push({ value, count })
  }
  return buckets
}

export type { WasmHistogram as HdrHistogram }
