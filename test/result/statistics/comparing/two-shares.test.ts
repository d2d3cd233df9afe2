import { expect, test } from 'vitest'
import { holm } from '../../../../src/result/statistics/comparing/levels.ts'
import { compareShares } from '../../../../src/result/statistics/comparing/two-shares.ts'

test.each([
  // Newcombe 1998, table II, method 10.
  { first: [48, 80], second: [56, 70], low: 0.0524, high: 0.3339 },
  { first: [3, 10], second: [9, 10], low: 0.1705, high: 0.809 },
  { first: [0, 10], second: [0, 10], low: -0.2775, high: 0.2775 },
  { first: [0, 10], second: [10, 10], low: 0.6075, high: 1 },
])('the interval of $second against $first is the published one', ({ first, second, ...ends }) => {
  const [a, b] = [first, second].map(([hits, n]) => [{ hits: hits!, n: n! }])
  const { low, high } = compareShares(a!, b!)!
  expect(low).toBeCloseTo(ends.low, 4)
  expect(high).toBeCloseTo(ends.high, 4)
})

test('at the confidence of its p, an end of the interval is at 0', () => {
  const [a, b] = [[{ hits: 12, n: 400 }], [{ hits: 31, n: 380 }]]
  const { p } = compareShares(a, b)!
  expect(p).toBeLessThan(0.01)
  expect(compareShares(a, b, 1 - p)!.low).toBeCloseTo(0, 6)
})

test('runs that spread more than counts do are worth less', () => {
  const even = [10, 10, 10, 10].map((hits) => ({ hits, n: 500 }))
  const uneven = [0, 0, 1, 39].map((hits) => ({ hits, n: 500 }))
  const next = [20, 20, 20, 20].map((hits) => ({ hits, n: 500 }))
  const [calm, wild] = [compareShares(even, next)!, compareShares(uneven, next)!]
  expect(calm.dispersion).toBe(1)
  expect(calm.p).toBeLessThan(0.01)
  expect(wild.dispersion).toBeGreaterThan(5)
  expect(wild.p).toBeGreaterThan(0.05)
  expect(wild.value).toBe(calm.value)
})

test('a side that counted nobody tells nothing', () => {
  expect(compareShares([{ hits: 0, n: 0 }], [{ hits: 1, n: 5 }])).toBeNull()
})

test('Holm adjusts the smallest p by all tests, and none below the one before', () => {
  expect(holm([0.01, 0.04, 0.03, 0.005]).map((p) => Number(p.toFixed(9)))).toEqual([
    0.03, 0.06, 0.06, 0.02,
  ])
  expect(holm([0.6, 0.9])).toEqual([1, 1])
  expect(holm([])).toEqual([])
})
