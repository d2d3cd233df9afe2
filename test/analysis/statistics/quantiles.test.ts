import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { estimateQuantile } from '../../../src/analysis/statistics/quantiles.ts'
import { rankInterval } from '../../../src/analysis/statistics/ranks.ts'
import { EMPTY_SAMPLE, uncensored } from '../../../src/analysis/statistics/sample.ts'
import { survivalCurve } from '../../../src/analysis/statistics/survival.ts'
import { exactSample, ranksUpTo } from '../samples.ts'

test('a quantile is the smallest value that its share does not exceed', () => {
  const estimate = estimateQuantile(uncensored(ranksUpTo(100)), 0.95)
  expect(estimate.value).toBe(95)
  expect(estimate.low).toBeLessThanOrEqual(91)
  expect(estimate.high).toBeGreaterThanOrEqual(99)
})

test('too few values give no value, but say how many it takes', () => {
  const estimate = estimateQuantile(uncensored(ranksUpTo(28)), 0.9)
  expect(estimate).toMatchObject({ value: null, high: null, n: 28, needed: 29 })
})

test('an empty sample gives nothing', () => {
  const estimate = estimateQuantile(uncensored(EMPTY_SAMPLE), 0.5)
  expect(estimate).toEqual({ value: null, low: null, high: null, n: 0, needed: 6 })
})

test('the survival curve steps down at ends and not where watching stopped', () => {
  const curve = survivalCurve({ ended: exactSample([1, 3, 5]), censored: exactSample([2, 4]) })
  expect(curve.map(({ value }) => value)).toEqual([1, 3, 5])
  expect(curve.map(({ ended }) => ended)).toEqual([
    expect.closeTo(0.2, 12),
    expect.closeTo(1 - 0.8 * (2 / 3), 12),
    1,
  ])
})

test('without censoring the survival curve is the plain share, as sure as n values', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 60 }),
      (values) => {
        const curve = survivalCurve(uncensored(exactSample(values)))
        for (const { value, ended, effective } of curve.slice(0, -1)) {
          expect(ended).toBeCloseTo(values.filter((v) => v <= value).length / values.length, 9)
          expect(effective).toBeCloseTo(values.length, 6)
        }
      },
    ),
    { seed: 11, numRuns: 100 },
  )
})

test('ends that were missed push a quantile up, where leaving them out would not', () => {
  const ended = ranksUpTo(80)
  const censored = exactSample(Array.from({ length: 20 }, () => 100))
  expect(estimateQuantile({ ended, censored }, 0.5).value).toBe(50)
  expect(estimateQuantile(uncensored(ended), 0.5).value).toBe(40)
})

test('a quantile that was never reached has no value, but a bound from below', () => {
  const lifetimes = {
    ended: ranksUpTo(50),
    censored: exactSample(Array.from({ length: 50 }, () => 900)),
  }
  const estimate = estimateQuantile(lifetimes, 0.9)
  expect(estimate).toMatchObject({ value: null, high: null, n: 100, needed: 29 })
  expect(estimate.low).toBe(900)
})

test('when nothing ended at all, the bound is how long was watched in vain', () => {
  const censored = exactSample(Array.from({ length: 100 }, (_, i) => 900 + i))
  const estimate = estimateQuantile({ ended: EMPTY_SAMPLE, censored }, 0.95)
  expect(estimate.value).toBeNull()
  expect(estimate.low).toBe(899 + rankInterval(100, 0.95).low!)
})
