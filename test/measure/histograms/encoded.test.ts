import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  buildHdr,
  decodedBuckets,
  encodeHdr,
  hdrBuckets,
} from '../../../src/measure/histograms/hdr.ts'
import { readBuckets } from '../../../src/measure/histograms/encoded.ts'
import { HIGHEST_MICROS } from '../../../src/measure/histograms/histogram.ts'

/** Values near each other and far apart, on both sides of the first 2,048; counts of any length. */
const counted = fc.array(
  fc.tuple(
    fc.oneof(
      fc.integer({ min: 0, max: 4_200 }),
      fc.integer({ min: 0, max: HIGHEST_MICROS }),
      fc.constant(HIGHEST_MICROS),
    ),
    fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 2 ** 31 - 1 })),
  ),
  { maxLength: 40 },
)

test('buckets are those that the library decodes', () => {
  fc.assert(
    fc.property(counted, (values) => {
      const histogram = buildHdr(HIGHEST_MICROS)
      for (const [value, count] of values) histogram.recordValueWithCount(value, count)
      expect(hdrBuckets(histogram)).toEqual(decodedBuckets(encodeHdr(histogram)))
      histogram.destroy()
    }),
    { seed: 3, numRuns: 100 },
  )
})

test('what is no histogram of 3 digits is our mistake', () => {
  const histogram = buildHdr(HIGHEST_MICROS)
  const encoded = histogram.encode()
  histogram.destroy()
  expect(() => readBuckets(encoded.with(0, 1))).toThrow('a V2 histogram')
  expect(() => readBuckets(encoded.with(15, 2))).toThrow('3 digits')
})
