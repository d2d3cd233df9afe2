import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { atLeast } from '../../../../src/result/statistics/beta.ts'

test.each([
  [0, 10, 0.01, 1],
  [1, 1, 0.01, 0.01],
  [1, 10, 0.01, 1 - 0.99 ** 10],
  [10, 10, 0.5, 0.5 ** 10],
  [11, 10, 0.5, 0],
])('%d or more of %d with a chance of %d', (k, n, p, expected) => {
  expect(atLeast(k, n, p)).toBeCloseTo(expected, 14)
})

test('agrees with the sum over all ways to get there', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 120 }),
      fc.nat(120),
      fc.double({ min: 0.005, max: 0.995, noNaN: true }),
      (n, k, p) => {
        expect(atLeast(k, n, p)).toBeCloseTo(summed(k, n, p), 10)
      },
    ),
    { seed: 11, numRuns: 100 },
  )
})

test('follows the normal approximation for a million trials, and ends at the edges', () => {
  const n = 1_000_000
  const deviation = Math.sqrt(n * 0.01 * 0.99)
  expect(atLeast(Math.round(10_000 + 1.645 * deviation), n, 0.01)).toBeCloseTo(0.05, 2)
  expect(atLeast(Math.round(10_000 - 1.645 * deviation), n, 0.01)).toBeCloseTo(0.95, 2)
  expect(atLeast(500_000, n, 0.01)).toBe(0)
  expect(atLeast(3, n, 0.01)).toBe(1)
})

/** By the recurrence of Pascal's triangle. */
function summed(k: number, n: number, p: number): number {
  let row = [1]
  for (let trials = 0; trials < n; trials++) {
    row = Array.from(
      { length: row.length + 1 },
      (_, hits) => (row[hits] ?? 0) * (1 - p) + (row[hits - 1] ?? 0) * p,
    )
  }
  return row.slice(k).reduce((sum, chance) => sum + chance, 0)
}
