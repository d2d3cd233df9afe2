import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ClockSample } from '../../src/result/clock.ts'
import { mapClock, toRunClock } from '../../src/result/clock.ts'

test('the sample with the least round trip decides', () => {
  const mapping = mapClock([
    { sentMicros: 0, receivedMicros: 10_000, ledgerMs: 1_009 },
    { sentMicros: 20_000, receivedMicros: 20_200, ledgerMs: 1_020.1 },
  ])
  expect(mapping.offsetMicros).toBeCloseTo(-1_000_000, 6)
  expect(mapping.leastRoundTripMicros).toBe(200)
  expect(toRunClock(1_500, mapping)).toBe(500_000)
})

test('one sample is off by at most half its round trip', () => {
  const mapping = mapClock([{ sentMicros: 100, receivedMicros: 500, ledgerMs: 7 }])
  expect(mapping.errorMicros).toBeCloseTo(200, 6)
})

test('a mapping is never off by more than it says, however the ledger clock drifts', () => {
  const trip = fc.integer({ min: 50, max: 5_000 })
  const sample = fc.record({
    out: trip,
    back: trip,
    at: fc.integer({ min: 0, max: 1_000_000_000 }),
  })
  fc.assert(
    fc.property(
      fc.array(sample, { minLength: 2, maxLength: 20 }),
      fc.double({ min: -50e-6, max: 50e-6, noNaN: true }),
      (trips, drift) => {
        const ledgerMs = (micros: number) => (micros * (1 + drift)) / 1_000 + 77
        const samples: ClockSample[] = trips.map(({ out, back, at }) => ({
          sentMicros: at,
          receivedMicros: at + out + back,
          ledgerMs: ledgerMs(at + out),
        }))
        const mapping = mapClock(samples)
        for (const { at, out } of bestOfHalves(trips)) {
          const error = Math.abs(toRunClock(ledgerMs(at + out), mapping) - (at + out))
          expect(error).toBeLessThanOrEqual(mapping.errorMicros + 1)
        }
      },
    ),
    { seed: 3, numRuns: 200 },
  )
})

interface Trip {
  at: number
  out: number
  back: number
}

/** Where the mapping was pinned down: its claim holds between these. */
function bestOfHalves(trips: readonly Trip[]): Trip[] {
  const inTime = trips.toSorted((a, b) => a.at - b.at)
  const half = Math.ceil(inTime.length / 2)
  const best = (list: readonly Trip[]) =>
    list.toSorted((a, b) => a.out + a.back - b.out - b.back).slice(0, 1)
  return [...best(inTime.slice(0, half)), ...best(inTime.slice(half))]
}
