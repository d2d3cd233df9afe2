import { expect, test } from 'vitest'
import { describe as summarise } from '../../../src/scenario/arrivals/index.ts'
import { constant, open, segment } from './help.ts'

test('tells count, time and peak of evenly spaced arrivals', () => {
  expect(summarise(open([segment('0/s', '2/s', '1m'), constant('40/h', '90m')]))).toEqual({
    arrivals: 120,
    exact: true,
    durationMicros: 91 * 60e6,
    peakPerSecond: 2,
  })
})

test('tells the mean count of random arrivals', () => {
  expect(summarise(open([constant('0.5/s', '5s')], { kind: 'poisson' }))).toMatchObject({
    arrivals: 2.5,
    exact: false,
  })
})

test('tells the busiest second of a replay', () => {
  expect(summarise({ kind: 'replay', offsetsMicros: [0, 999_999, 1_000_000, 5e6] })).toEqual({
    arrivals: 4,
    exact: true,
    durationMicros: 5e6,
    peakPerSecond: 2,
  })
})

test('tells the bound of closed clients and leaves their rate to the target', () => {
  const closed = {
    kind: 'closed',
    clients: 3,
    forMicros: 60e6,
    iterations: 12,
    think: { kind: 'constant', value: 0 },
    rampUpMicros: 0,
  } as const
  expect(summarise(closed)).toEqual({
    arrivals: 12,
    exact: false,
    durationMicros: 60e6,
    peakPerSecond: null,
  })
})
