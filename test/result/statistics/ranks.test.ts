import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { neededFor, rankInterval } from '../../../src/result/statistics/quantiles.ts'

test.each([
  [0.5, 6],
  [0.9, 29],
  [0.95, 59],
  [0.99, 299],
  [0.999, 2995],
  [0.1, 29],
])('a two-sided interval of quantile %d needs %d values', (q, needed) => {
  expect(neededFor(q)).toBe(needed)
})

test.each([0.5, 0.9, 0.95, 0.99])('the interval of quantile %d is finite from its n on', (q) => {
  const n = neededFor(q)
  expect(rankInterval(n, q)).toEqual({ low: expect.any(Number), high: n })
  expect(rankInterval(n - 1, q).high).toBeNull()
})

test('the median of 20 lies between the 6th and the 15th value', () => {
  expect(rankInterval(20, 0.5)).toEqual({ low: 6, high: 15 })
})

test('below its n a quantile still has a bound on the side with room', () => {
  expect(rankInterval(20, 0.95)).toEqual({ low: 17, high: null })
  expect(rankInterval(20, 0.05)).toEqual({ low: null, high: 4 })
  expect(rankInterval(4, 0.5)).toEqual({ low: null, high: null })
})

test('the binomial mass between the ranks is at least 95 %', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 6, max: 150 }),
      fc.double({ min: 0.5, max: 0.95, noNaN: true }),
      (n, q) => {
        fc.pre(n >= neededFor(q))
        const { low, high } = rankInterval(n, q)
        const mass = binomial(n, q)
          .slice(low!, high!)
          .reduce((sum, p) => sum + p, 0)
        expect(mass).toBeGreaterThanOrEqual(0.95 - 1e-9)
      },
    ),
    { seed: 7, numRuns: 60 },
  )
})

test('the interval of a large sample is as narrow as the normal approximation', () => {
  const n = 1_000_000
  const { low, high } = rankInterval(n, 0.5)
  expect(high! - low!).toBeGreaterThan(2 * 1.96 * 500 - 10)
  expect(high! - low!).toBeLessThan(2 * 1.96 * 500 + 10)
})

/** P(B = k) for k from 0 to n, by the recurrence of Pascal's triangle. */
function binomial(n: number, q: number): number[] {
  let row = [1]
  for (let i = 0; i < n; i++) {
    row = Array.from(
      { length: row.length + 1 },
      (_, k) => (row[k] ?? 0) * (1 - q) + (row[k - 1] ?? 0) * q,
    )
  }
  return row
}
