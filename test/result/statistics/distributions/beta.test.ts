import { expect, test } from 'vitest'
import { betaQuantile, betaShare, studentT } from '../../../../src/result/statistics/beta.ts'

test.each([
  ['uniform', 1, 1, (x: number) => x],
  ['largest of seven', 7, 1, (x: number) => x ** 7],
  ['smallest of seven', 1, 7, (x: number) => 1 - (1 - x) ** 7],
  ['arcsine', 0.5, 0.5, (x: number) => (2 / Math.PI) * Math.asin(Math.sqrt(x))],
  ['symmetric cubic', 2, 2, (x: number) => x * x * (3 - 2 * x)],
])('%s: the share below a value is its closed form', (_, a, b, expected) => {
  for (const x of [0, 1e-9, 0.01, 0.3, 0.5, 0.77, 0.999, 1]) {
    expect(betaShare(x, a, b)).toBeCloseTo(expected(x), 13)
  }
})

test('agrees with the sum of binomial chances for ten million trials', () => {
  const [k, n, p] = [500_500, 10_000_000, 0.05]
  let term = 1
  let [upper, all] = [0, 0]
  for (let i = k; i < k + 12_000; i++) {
    upper += term
    term *= ((n - i) * p) / ((i + 1) * (1 - p))
  }
  term = 1
  for (let i = k; i > k - 12_000; i--) {
    all += i === k ? 0 : term
    term *= (i * (1 - p)) / ((n - i + 1) * p)
  }
  all += upper
  expect(betaShare(p, k, n - k + 1)).toBeCloseTo(upper / all, 9)
})

test.each([
  [0.5, 0.5],
  [3.7, 120.4],
  [1, 10_000_000],
  [5_000_000, 5_000_001],
  [0.02, 9_999_999.98],
  [250_000.5, 9_749_999.5],
])('the quantile of beta(%d, %d) gives its share back', (a, b) => {
  for (const p of [0.001, 0.025, 0.5, 0.975, 0.999]) {
    const x = betaQuantile(p, a, b)
    expect(betaShare(x, a, b)).toBeCloseTo(p, 8)
    const step = Math.max(x * 1e-9, Number.MIN_VALUE)
    expect(betaShare(x - step, a, b)).toBeLessThanOrEqual(p + 1e-10)
    expect(betaShare(x + step, a, b)).toBeGreaterThanOrEqual(p - 1e-10)
  }
})

test('quantiles end where the distribution ends', () => {
  expect(betaQuantile(0, 2, 3)).toBe(0)
  expect(betaQuantile(1, 2, 3)).toBe(1)
})

test.each([
  [1, 12.7062],
  [2, 4.30265],
  [7, 2.36462],
  [15, 2.13145],
  [31, 2.03951],
  [1_000_000, 1.95997],
])("Student's t with %d degrees of freedom is %d at 95 %", (degrees, t) => {
  expect(studentT(degrees)).toBeCloseTo(t, 4)
})
