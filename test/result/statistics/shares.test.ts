import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { atLeast } from '../../../src/result/statistics/beta.ts'
import { shareInterval } from '../../../src/result/statistics/shares.ts'

test.each([
  [0, 10, 0, 0.3085],
  [5, 10, 0.1871, 0.8129],
  [10, 10, 0.6915, 1],
  [1, 20, 0.0013, 0.2487],
])('%d of %d lies between %d and %d', (hits, n, low, high) => {
  const interval = shareInterval(hits, n)
  expect(interval?.low).toBeCloseTo(low, 4)
  expect(interval?.high).toBeCloseTo(high, 4)
})

test('nothing of nothing has no interval', () => {
  expect(shareInterval(0, 0)).toBeNull()
})

test('each end leaves half of the doubt beyond it', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 20_000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom(0.8, 0.95, 0.99),
      (n, part, confidence) => {
        const hits = Math.min(n - 1, Math.max(1, Math.round(part * n)))
        const { low, high } = shareInterval(hits, n, confidence)!
        expect(atLeast(hits, n, low)).toBeCloseTo((1 - confidence) / 2, 9)
        expect(1 - atLeast(hits + 1, n, high)).toBeCloseTo((1 - confidence) / 2, 9)
      },
    ),
    { seed: 3, numRuns: 300 },
  )
})

test('no hits and nothing but hits leave half of the doubt on their one side', () => {
  const n = 10_000_000
  expect(shareInterval(0, n)?.low).toBe(0)
  expect(shareInterval(0, n)!.high / -Math.expm1(Math.log(0.025) / n)).toBeCloseTo(1, 9)
  expect(shareInterval(n, n)?.high).toBe(1)
  expect(shareInterval(n, n)?.low).toBeCloseTo(Math.exp(Math.log(0.025) / n), 12)
})

test('what depends on each other is as sure as fewer that do not', () => {
  expect(shareInterval(50, 1_000, 0.95, 100)).toEqual(shareInterval(5, 100))
  expect(shareInterval(50, 1_000, 0.95, 1_000)).toEqual(shareInterval(50, 1_000))
  const between = shareInterval(1, 1_000, 0.95, 10)!
  expect(between.low).toBeGreaterThan(0)
  expect(between.high).toBeGreaterThan(shareInterval(0, 10)!.high)
  expect(between.high).toBeLessThan(shareInterval(1, 10)!.high)
})
