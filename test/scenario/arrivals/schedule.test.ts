import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../src/base/random.ts'
import { createSchedule } from '../../../src/scenario/arrivals/index.ts'
import { constant, open, segment, timesOf } from './help.ts'

const anySegment = fc
  .tuple(fc.nat(100), fc.nat(100), fc.integer({ min: 1, max: 60 }))
  .map(([from, to, seconds]) => segment(`${from / 4}/s`, `${to / 4}/s`, `${seconds}s`))
const anyProcess = fc.oneof(
  fc.constant({ kind: 'uniform' as const }),
  fc.constant({ kind: 'poisson' as const }),
  fc.double({ min: 0.1, max: 5, noNaN: true }).map((cv) => ({ kind: 'gamma' as const, cv })),
)
const anyArrivals = fc
  .tuple(fc.array(anySegment, { minLength: 1, maxLength: 4 }), anyProcess)
  .map(([segments, process]) => open(segments, process))

describe('evenly spaced arrivals', () => {
  test('puts arrival i of 40/h at exactly i times 90 s', () => {
    const times = timesOf(open([constant('40/h', '1000d')]))
    expect(times).toHaveLength(960_000)
    expect(times.every((time, i) => time === i * 90e6)).toBe(true)
  })

  test('does not drift where the gap is no whole number of microseconds', () => {
    const times = timesOf(open([constant('3/s', '10h')]))
    expect(times.slice(0, 4)).toEqual([0, 333_333, 666_667, 1_000_000])
    expect(times[99_999]).toBe(33_333e6)
  })

  test('rounds halves of a microsecond the same way all along', () => {
    const times = timesOf(open([constant('640/s', '30s')]))
    expect(times.findIndex((time, i) => time !== Math.round(i * 1562.5))).toBe(-1)
  })

  test('has one arrival at zero when the rate is below one in the whole time', () => {
    expect(timesOf(open([constant('0.5/h', '5m')]))).toEqual([0])
  })

  test('pauses where the rate is zero and goes on at its end', () => {
    const pause = [constant('1/s', '2s'), constant('0/s', '10s'), constant('1/s', '2s')]
    expect(timesOf(open(pause))).toEqual([0, 1e6, 12e6, 13e6])
  })

  test('steps from one rate to the next without losing the rest of a gap', () => {
    const steps = [constant('1/s', '2.5s'), constant('2/s', '1s')]
    expect(timesOf(open(steps))).toEqual([0, 1e6, 2e6, 2.75e6, 3.25e6])
  })

  test('has as many arrivals as the integral of the rate, rounded up', () => {
    fc.assert(
      fc.property(fc.array(anySegment, { minLength: 1, maxLength: 4 }), (segments) => {
        const area = segments.reduce(
          (sum, { from, to, forMicros }) => sum + ((from.count + to.count) / 2) * (forMicros / 1e6),
          0,
        )
        const times = timesOf(open(segments))
        expect(times).toHaveLength(Math.ceil(area))
      }),
      { seed: 3, numRuns: 100 },
    )
  })
})

describe('any process', () => {
  test('rises, in whole microseconds, within the time of its segments', () => {
    fc.assert(
      fc.property(anyArrivals, fc.nat(1000), (arrivals, seed) => {
        const times = timesOf(arrivals, seed)
        const end =
          arrivals.kind === 'open' ? arrivals.segments.reduce((sum, s) => sum + s.forMicros, 0) : 0
        const wrong = times.findIndex(
          (time, i) =>
            !Number.isInteger(time) || time < (i === 0 ? 0 : times[i - 1]!) || time > end,
        )
        expect(wrong).toBe(-1)
      }),
      { seed: 4, numRuns: 60 },
    )
  })

  test('is the same for the same seed and another for another', () => {
    const arrivals = open([constant('5/s', '60s')], { kind: 'gamma', cv: 2 })
    expect(timesOf(arrivals, 9)).toEqual(timesOf(arrivals, 9))
    expect(timesOf(arrivals, 9)).not.toEqual(timesOf(arrivals, 10))
  })

  test('keeps saying that it ended', () => {
    const schedule = createSchedule({ arrivals: open([constant('1/s', '1s')]) }, createRandom(1))
    expect([schedule.next()?.index, schedule.next(), schedule.next()]).toEqual([0, null, null])
  })
})

describe('replayed arrivals', () => {
  test('gives the recorded offsets back', () => {
    const offsetsMicros = [0, 5, 5, 1_000]
    expect(timesOf({ kind: 'replay', offsetsMicros })).toEqual(offsetsMicros)
  })
})
