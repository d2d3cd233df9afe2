/** What is done for speed gives what the plain way gives. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRandom } from '../../../../src/base/random.ts'
import { resampled } from '../../../../src/study/capacity/analyse/model/interval.ts'
import { atRank } from '../../../../src/study/capacity/analyse/model/simulate.ts'
import { Queue } from '../../../../src/study/capacity/analyse/model/queue.ts'

test('the value at a rank is the one that sorting puts there', () => {
  const values = fc.array(fc.oneof(fc.nat(9), fc.double({ noNaN: true })), { minLength: 1 })
  fc.assert(
    fc.property(values, fc.nat(), (list, drawn) => {
      const rank = drawn % list.length
      const sorted = Float64Array.from(list).sort()
      expect(atRank(Float64Array.from(list), rank) === sorted[rank]).toBe(true)
    }),
    { seed: 1, numRuns: 500 },
  )
})

test('a thousand arrivals wait as long together as one after the other', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 20 }), fc.nat(9), (seed, slots, most) => {
      const queueLimit = most < 5 ? most : null
      const random = createRandom(seed)
      const column = (): Float64Array =>
        Float64Array.from({ length: 1_000 }, () => random.exponential())
      const arriving = { gaps: column(), gapMicros: 1.1 / slots, services: column() }
      const waits = new Float64Array(1_000)
      new Queue({ slots, queueLimit }).takeAll(arriving, waits)
      const queue = new Queue({ slots, queueLimit })
      let at = 0
      const single = arriving.gaps.map((gap, i) => {
        at += gap * arriving.gapMicros
        return queue.take(at, arriving.services[i]!)
      })
      expect(waits).toEqual(single)
    }),
    { seed: 1, numRuns: 50 },
  )
})

test('a resampled crew has the executions of sorted draws, each with its own mark', () => {
  const micros = Float64Array.of(10, 20, 20, 30, 50, 80)
  const failed = Uint8Array.of(0, 1, 0, 0, 1, 0)
  for (let seed = 0; seed < 20; seed++) {
    const random = createRandom(seed)
    const places = Array.from(micros, () => random.int(micros.length)).toSorted((a, b) => a - b)
    expect(resampled({ micros, failed }, createRandom(seed))).toEqual({
      micros: Float64Array.from(places, (place) => micros[place]!),
      failed: Uint8Array.from(places, (place) => failed[place]!),
    })
  }
})
