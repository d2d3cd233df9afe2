import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  countTicks,
  durationTicks,
  elapsedTicks,
  linearDurationTicks,
  ninesPosition,
  ninesShares,
  roundStep,
  stepWords,
} from '../../../src/report/charts/ticks.ts'

const RUNS = { seed: 20_261_121, numRuns: 200 }

function labels(ticks: readonly { label: string }[]): string {
  return ticks.map(({ label }) => label).join(' | ')
}

test.each([
  [1_000, 'second'],
  [4_000, '5 s'],
  [32_000, '30 s'],
  [64_000, 'minute'],
  [128_000, '2 min'],
  [256_000, '5 min'],
  [4_096_000, 'hour'],
  [0.5, '1 ms'],
])('a rate over %d ms is told per %s', (ms, words) => {
  expect(stepWords(roundStep(ms))).toBe(words)
})

describe('elapsed time', () => {
  test.each<[ms: number, count: number, text: string]>([
    [30_000, 4, '0 | 10 s | 20 s | 30 s'],
    [180_000, 6, '0 | 30 s | 1 min | 1:30 min | 2 min | 2:30 min | 3 min'],
    [11_040_000, 7, '0 | 30 min | 1 h | 1 h 30 | 2 h | 2 h 30 | 3 h'],
  ])('%i ms', (ms, count, text) => {
    expect(labels(elapsedTicks(ms, count))).toBe(text)
  })

  test('never gives more ticks than asked for', () => {
    const spans = fc.double({ min: 1, max: 5e8, noNaN: true })
    fc.assert(
      fc.property(spans, fc.integer({ min: 1, max: 20 }), (ms, count) => {
        expect(elapsedTicks(ms, count).length).toBeLessThanOrEqual(count + 1)
      }),
      RUNS,
    )
  })
})

describe('durations', () => {
  test('on a log axis are round', () => {
    expect(labels(durationTicks(0.9, 60, 7))).toBe('1 ms | 2 ms | 5 ms | 10 ms | 20 ms | 50 ms')
  })

  test('thin out to decades over a long range', () => {
    expect(labels(durationTicks(1, 100_000, 7))).toBe('1 ms | 10 ms | 100 ms | 1 s | 10 s | 100 s')
  })

  test('on a log axis of a short range are even', () => {
    expect(labels(durationTicks(310, 460, 6))).toBe('350 ms | 400 ms | 450 ms')
  })

  test('on a linear axis have the unit that the figures have', () => {
    expect(labels(linearDurationTicks(140_000, 4))).toBe('0 | 50 s | 100 s')
    expect(labels(linearDurationTicks(9, 5))).toBe('0 | 2 ms | 4 ms | 6 ms | 8 ms')
  })

  test('stay within their range and number', () => {
    const powers = fc.double({ min: -2, max: 7, noNaN: true })
    fc.assert(
      fc.property(powers, powers, fc.integer({ min: 2, max: 10 }), (a, b, count) => {
        const [from, to] = [10 ** Math.min(a, b), 10 ** Math.max(a, b)]
        const ticks = durationTicks(from, to, count)
        expect(ticks.length).toBeLessThanOrEqual(count)
        for (const { value } of ticks) {
          expect(value).toBeGreaterThanOrEqual(from * 0.99)
          expect(value).toBeLessThanOrEqual(to * 1.01)
        }
      }),
      RUNS,
    )
  })
})

test('counts are whole', () => {
  expect(labels(countTicks(2, 5))).toBe('0 | 1 | 2')
  expect(labels(countTicks(0, 5))).toBe('0 | 1')
})

test('50, 90, 99 and 99.9 % are evenly spaced on the nines axis', () => {
  const positions = [0.5, 0.9, 0.99, 0.999].map(ninesPosition)
  for (const [index, position] of positions.entries()) expect(position).toBeCloseTo(index, 9)
  expect(labels(ninesShares(2.5))).toBe('p50 | p90 | p99')
})
