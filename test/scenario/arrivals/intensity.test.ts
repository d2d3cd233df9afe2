import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createIntensity } from '../../../src/scenario/arrivals/intensity.ts'
import { constant, segment } from './help.ts'

const anySegment = fc
  .tuple(fc.nat(500), fc.nat(500), fc.integer({ min: 1, max: 600 }))
  .map(([from, to, seconds]) => segment(`${from / 10}/s`, `${to / 10}/s`, `${seconds}s`))

/** The integral by the definition: slow, and independent of the code under test. */
function integral(segments: ReturnType<typeof segment>[], untilMicros: number): number {
  let sum = 0
  let start = 0
  for (const { from, to, forMicros } of segments) {
    const t = Math.min(Math.max(untilMicros - start, 0), forMicros)
    const a = from.count / from.perMicros
    const b = to.count / to.perMicros
    sum += a * t + ((b - a) * t * t) / (2 * forMicros)
    start += forMicros
  }
  return sum
}

describe('createIntensity', () => {
  test('inverts the integral of any rate', () => {
    fc.assert(
      fc.property(
        fc.array(anySegment, { minLength: 1, maxLength: 6 }),
        fc.double({ min: 0, max: 0.999_999, noNaN: true }),
        (segments, share) => {
          const intensity = createIntensity(segments)
          fc.pre(intensity.total > 0)
          const arrivals = share * intensity.total
          const back = integral(segments, intensity.timeOf(arrivals))
          expect(Math.abs(back - arrivals)).toBeLessThan(1e-6 * Math.max(1, intensity.total))
        },
      ),
      { seed: 7, numRuns: 300 },
    )
  })

  test('stays exact on a ramp that hardly rises', () => {
    const intensity = createIntensity([segment('1000000/s', '1000001/s', '1000s')])
    expect(intensity.timeOf(1_000_000)).toBeCloseTo(1e6, 0)
  })

  test('ignores the rounding of sums that should be whole', () => {
    const tenths = Array.from({ length: 10 }, () => constant('0.1/s', '1s'))
    expect(createIntensity(tenths).total).toBe(1)
  })

  test('adds up stretches that each hold less than a hair', () => {
    const slivers = Array.from({ length: 4_000 }, () => constant('0.5/s', '1us'))
    expect(createIntensity(slivers).total).toBeCloseTo(0.002, 9)
  })

  test('takes rates of equal value in different units for constant', () => {
    const intensity = createIntensity([segment('60/min', '1/s', '1m')])
    expect(intensity.timeOf(7)).toBe(7e6)
  })
})
