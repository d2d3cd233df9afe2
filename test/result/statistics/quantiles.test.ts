import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  estimateQuantile,
  quantileOf,
  survivalCurve,
  rankInterval,
} from '../../../src/result/statistics/quantiles.ts'
import { EMPTY_SAMPLE, sidesOf, uncensored } from '../../../src/result/statistics/sample.ts'
import { Sketch } from '../../../src/result/counting/sketch.ts'
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
  expect(estimate).toEqual({ value: null, low: null, high: null, exceeds: null, n: 0, needed: 6 })
})

test('the survival curve steps down at ends and not where watching stopped', () => {
  const curve = survivalCurve({
    ended: exactSample([1, 3, 5]),
    censored: exactSample([2, 4]),
    never: 0,
  })
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
  expect(estimateQuantile({ ended, censored, never: 0 }, 0.5).value).toBe(50)
  expect(estimateQuantile(uncensored(ended), 0.5).value).toBe(40)
})

test('a quantile that was never reached has no value, but a bound from below', () => {
  const lifetimes = {
    ended: ranksUpTo(50),
    censored: exactSample(Array.from({ length: 50 }, () => 900)),
    never: 0,
  }
  const estimate = estimateQuantile(lifetimes, 0.9)
  expect(estimate).toMatchObject({ value: null, high: null, n: 100, needed: 29 })
  expect(estimate.low).toBe(900)
})

test('a quantile beyond what was watched exceeds every lower one that has a value', () => {
  const givenUp = Array.from({ length: 2_020 }, (_, i) => (i < 2_000 ? 500 : 990))
  const hidden = { ended: ranksUpTo(980), censored: exactSample(givenUp), never: 0 }
  const [p95, p99] = [0.95, 0.99].map((q) => estimateQuantile(hidden, q))
  expect(p95).toMatchObject({ value: expect.any(Number), exceeds: null })
  expect(p99!.value).toBeNull()
  expect(p99!.low).toBeLessThan(p95!.value as number)
  expect(p99!.exceeds).toBeGreaterThanOrEqual(p95!.value as number)
})

test('when nothing ended at all, the bound is how long was watched in vain', () => {
  const censored = exactSample(Array.from({ length: 100 }, (_, i) => 900 + i))
  const estimate = estimateQuantile({ ended: EMPTY_SAMPLE, censored, never: 0 }, 0.95)
  expect(estimate.value).toBeNull()
  expect(estimate.low).toBe(899 + rankInterval(100, 0.95).low!)
})

const lifetimes = (ended: number, never: number, censoredAt: readonly number[] = []) => ({
  ended: ranksUpTo(ended),
  censored: exactSample(censoredAt),
  never,
})

test('what never ends is longer than all, and a quantile among it is never', () => {
  const estimate = estimateQuantile(lifetimes(62, 38), 0.95)
  const never = { value: 'never', low: 'never', high: 'never' }
  expect(estimate).toEqual({ ...never, exceeds: null, n: 100, needed: 59 })
  expect(estimateQuantile(lifetimes(1, 59), 0.95).value).toBe('never')
})

test('an interval can reach from times into never', () => {
  const estimate = estimateQuantile(lifetimes(96, 4), 0.95)
  expect(estimate).toMatchObject({ value: 95, low: expect.any(Number), high: 'never' })
})

test('who never ends stays in the risk set, and leaves the effective size alone', () => {
  const curve = survivalCurve(lifetimes(60, 40))
  expect(curve.at(-1)?.ended).toBeCloseTo(0.6, 12)
  expect(curve.at(-1)?.effective).toBeCloseTo(100, 6)
})

test('censored ones may still have ended: a quantile is never only if it is so even then', () => {
  const censoredAt = Array.from({ length: 10 }, () => 900)
  const mixed = lifetimes(50, 40, censoredAt)
  expect(estimateQuantile(mixed, 0.4).value).toBe(40)
  expect(estimateQuantile(mixed, 0.55).value).toBeNull()
  expect(estimateQuantile(mixed, 0.7).value).toBe('never')
  expect(estimateQuantile(mixed, 0.55)).toMatchObject({ low: expect.any(Number), high: 'never' })
})

test('with nothing but censored and never, the bound from below is time or never', () => {
  const censoredAt = Array.from({ length: 50 }, (_, i) => 900 + i)
  const none = { ...lifetimes(0, 50, censoredAt), ended: EMPTY_SAMPLE }
  expect(estimateQuantile(none, 0.9)).toMatchObject({ value: 'never', low: 'never', high: 'never' })
  expect(estimateQuantile(none, 0.2)).toMatchObject({ value: null, low: expect.any(Number) })
})

test('a smaller effective size widens the interval to that of so many, and leaves the value', () => {
  const all = estimateQuantile(lifetimes(10_000, 0), 0.95)
  const worth = estimateQuantile(lifetimes(10_000, 0), 0.95, { effective: 400.7 })
  const ranks = rankInterval(400, 0.95)
  expect(worth).toMatchObject({ value: all.value, low: ranks.low! * 25, high: ranks.high! * 25 })
})

test('an effective size that is too small leaves the lower bound alone', () => {
  const estimate = estimateQuantile(lifetimes(1_000, 0), 0.95, { effective: 30 })
  expect(estimate).toMatchObject({ value: 950, low: expect.any(Number), high: null })
})

test('censoring and dependence both take their part of the size', () => {
  const early = Array.from({ length: 100 }, () => 0)
  const halved = estimateQuantile(lifetimes(900, 0, early), 0.5, { effective: 500 })
  expect(halved).toMatchObject({
    low: estimateQuantile(lifetimes(900, 0), 0.5, { effective: 450 }).low,
    high: estimateQuantile(lifetimes(900, 0), 0.5, { effective: 450 }).high,
    n: 1_000,
  })
})

test('each observation lies on one side of a bound, or is left open', () => {
  expect(sidesOf(lifetimes(100, 7, [30, 39, 40, 90]), 40)).toEqual({
    atOrBelow: 40,
    above: 60 + 2 + 7,
    undetermined: 2,
  })
})

test('a sample that records more is estimated anew, with more censored ones as well', () => {
  const [ended, censored] = [new Sketch(1.01), new Sketch(1.01)]
  for (let value = 100; value < 200; value++) ended.record(value)
  censored.record(50)
  const lifetimes = { ended, censored, never: 0 }
  const before = estimateQuantile(lifetimes, 0.5)
  expect(estimateQuantile(lifetimes, 0.5)).toEqual(before)
  for (let i = 0; i < 60; i++) censored.record(120)
  const watched = estimateQuantile(lifetimes, 0.5)
  expect(watched.value).toBeGreaterThan(Number(before.value))
  expect(estimateQuantile({ ...lifetimes, never: 70 }, 0.5).value).toBeGreaterThan(
    Number(watched.value),
  )
  for (let i = 0; i < 500; i++) ended.record(10)
  expect(estimateQuantile(lifetimes, 0.5).value).toBeLessThan(11)
})

test('the nearest rank of a sorted sample, whatever a product of decimals rounds to', () => {
  const hundred = Array.from({ length: 100 }, (_, i) => i + 1)
  // 0.55 * 100 is 55.00000000000001, whose ceiling is 56.
  expect(quantileOf(hundred, 0.55)).toBe(55)
  expect(quantileOf(hundred, 0)).toBe(1)
  expect(quantileOf(hundred, 1)).toBe(100)
  expect(quantileOf([], 0.5)).toBeNull()
})
