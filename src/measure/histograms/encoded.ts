/**
 * The counts in HdrHistogram's V2 encoding, without an array of them all: a histogram of up to 24 h
 * has 28,672 counts, of which few are filled.
 */
import { assert } from '../../base/assert.ts'
import type { Bucket } from '../../analysis/statistics/sample.ts'

/** `V2EncodingCookieBase | 0x10` of HdrHistogram. */
const COOKIE = 0x1c84_9313
const LENGTH_AT = 4
const DIGITS_AT = 12
/** The payload follows the cookie, three more int32 and three int64. */
const HEADER_BYTES = 40

/** With 3 digits each power of two above 2,048 has 1,024 counts of equal width. */
const DIGITS = 3
const SUB_BUCKETS = 2_048
const HALF = SUB_BUCKETS / 2

/**
 * Each filled bucket by its highest equivalent value, in rising order, of a histogram of 3 digits
 * and unit 1. The payload is a run of ZigZag LEB128-64b9B numbers: a count, or -n for n counts of 0
 * (HdrHistogram, `AbstractHistogram.fillBufferFromCountsArray`).
 */
export function readBuckets(encoded: Uint8Array): Bucket[] {
  const view = new DataView(encoded.buffer, encoded.byteOffset, encoded.byteLength)
  assert(view.getInt32(0) === COOKIE, 'a V2 histogram')
  assert(view.getInt32(DIGITS_AT) === DIGITS, 'a histogram of 3 digits')
  const end = HEADER_BYTES + view.getInt32(LENGTH_AT)
  const buckets: Bucket[] = []
  let index = 0
  let at = HEADER_BYTES
  while (at < end) {
    // A ninth byte would carry eight bits; only counts that JavaScript cannot hold have one.
    let zigzag = 0
    let byte = 0x80
    for (let factor = 1; byte >= 0x80; factor *= 0x80) {
      byte = encoded[at++]!
      zigzag += (byte & 0x7f) * factor
    }
    const isCount = zigzag % 2 === 0
    if (!isCount) index += (zigzag + 1) / 2
    else {
      if (zigzag > 0) buckets.push({ value: highestAt(index), count: zigzag / 2 })
      index++
    }
  }
  return buckets
}

function highestAt(index: number): number {
  if (index < SUB_BUCKETS) return index
  const width = 2 ** (Math.floor(index / HALF) - 1)
  return ((index % HALF) + HALF) * width + width - 1
}
