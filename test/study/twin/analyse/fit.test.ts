/** Distributions fitted to samples whose truth is known. */
import { describe, expect, test } from 'vitest'
import type { Distribution } from '../../../../src/base/distribution.ts'
import { draw } from '../../../../src/base/distribution.ts'
import { createRandom } from '../../../../src/base/random.ts'
import { fitOf } from '../../../../src/study/twin/analyse/fit/fit.ts'
import type { Fitted } from '../../../../src/study/twin/analyse/fit/shares.ts'
import { sharesAt, valueAt } from '../../../../src/study/twin/analyse/fit/shares.ts'
import { incompleteGamma, logGamma, normalShares } from '../../../../src/result/statistics/gamma.ts'
import type { Between } from '../../../../src/result/inferred-workers/observed-stay.ts'

const SECOND = 1_000_000

const drawn = (distribution: Distribution, n: number, seed = 1): number[] => {
  const random = createRandom(seed)
  return Array.from({ length: n }, (_, i) => draw(distribution, random.fork('value', i)))
}
const exact = (value: number): Between => ({ low: value - 500, high: value + 500 })

describe('the functions behind the fits', () => {
  test('are those of the tables', () => {
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.sqrt(Math.PI)), 11)
    expect(logGamma(11)).toBeCloseTo(Math.log(3_628_800), 11)
    expect(normalShares(1.959964).lower).toBeCloseTo(0.975, 7)
    expect(normalShares(-6).lower).toBeCloseTo(9.8659e-10, 13)
    expect(incompleteGamma(3, 2).lower).toBeCloseTo(0.3233236, 6)
    expect(incompleteGamma(3, 12).upper).toBeCloseTo(5.2226e-4, 7)
  })

  test.each<Fitted>([
    { kind: 'lognormal', median: 5, p95: 20 },
    { kind: 'gamma', mean: 3, cv: 0.6 },
    {
      kind: 'quantiles',
      points: [
        { q: 0, value: 1 },
        { q: 0.4, value: 2 },
        { q: 1, value: 9 },
      ],
    },
  ])('the value at a share has that share: $kind', (distribution) => {
    for (const share of [0.01, 0.3, 0.5, 0.9, 0.99]) {
      expect(sharesAt(distribution, valueAt(distribution, share)).lower).toBeCloseTo(share, 6)
    }
  })
})

describe('the family', () => {
  test.each<[Fitted, string]>([
    [{ kind: 'lognormal', median: 20 * SECOND, p95: 90 * SECOND }, 'lognormal'],
    [{ kind: 'gamma', mean: 20 * SECOND, cv: 0.5 }, 'gamma'],
    [{ kind: 'constant', value: 20 * SECOND }, 'constant'],
  ])('%o is recognised, with its median and p95', (truth, family) => {
    const fit = fitOf(drawn(truth, 1_000).map(exact))!
    expect(fit.family).toBe(family)
    for (const q of [0.5, 0.95]) {
      const ratio = valueAt(fit.distribution, q) / valueAt(truth, q)
      expect(ratio).toBeGreaterThan(0.9)
      expect(ratio).toBeLessThan(1.1)
    }
  })

  test('of two separate times is none of the smooth ones', () => {
    const random = createRandom(3)
    const values = Array.from({ length: 300 }, () =>
      random.next() < 0.7 ? 10 * SECOND : 60 * SECOND + SECOND * random.normal(),
    )
    const fit = fitOf(values.map(exact))!
    expect(fit.family).toBe('quantiles')
    expect(valueAt(fit.distribution, 0.5)).toBeCloseTo(10 * SECOND, -4)
  })

  test('is told with its misfit: held-out values of another shape', () => {
    const fit = fitOf(
      drawn({ kind: 'lognormal', median: SECOND, p95: 4 * SECOND }, 500).map(exact),
    )!
    expect(fit.test!.p).toBeGreaterThan(0.01)
    expect(fit.test!.n).toBe(100)
  })
})

describe('ends that are known in part', () => {
  const truth: Fitted = { kind: 'lognormal', median: 20 * SECOND, p95: 80 * SECOND }

  test('between two polls 10 s apart give the distribution without their bias', () => {
    const sample = drawn(truth, 800).map((value): Between => {
      const low = Math.floor(value / (10 * SECOND)) * 10 * SECOND
      return { low, high: low + 10 * SECOND }
    })
    const fit = fitOf(sample)!
    expect(fit.between).toBeGreaterThan(700)
    expect(valueAt(fit.distribution, 0.5) / (20 * SECOND)).toBeCloseTo(1, 0.9)
    expect(valueAt(fit.distribution, 0.95) / (80 * SECOND)).toBeCloseTo(1, 0.9)
  })

  test('that were given up at any time hand their weight on to those that took longer', () => {
    const random = createRandom(5)
    const sample = drawn(truth, 800).map((value): Between => {
      const watched = 60 * SECOND * random.next()
      return value > watched ? { low: watched, high: Infinity } : exact(value)
    })
    const fit = fitOf(sample)!
    expect(fit.censored).toBeGreaterThan(300)
    expect(fit.p50.value / (20 * SECOND)).toBeGreaterThan(0.9)
    expect(fit.p50.value / (20 * SECOND)).toBeLessThan(1.1)
  })

  test('that were not seen count as longer: without them the median is 35 % too small', () => {
    const limit = 25 * SECOND
    const sample = drawn(truth, 800).map((value): Between =>
      value > limit ? { low: limit, high: Infinity } : exact(value),
    )
    const fit = fitOf(sample)!
    const seen = fitOf(sample.filter(({ high }) => high < Infinity))!
    expect(fit.censored).toBeGreaterThan(300)
    expect(valueAt(fit.distribution, 0.5) / (20 * SECOND)).toBeGreaterThan(0.9)
    expect(valueAt(fit.distribution, 0.5) / (20 * SECOND)).toBeLessThan(1.1)
    expect(valueAt(seen.distribution, 0.5) / (20 * SECOND)).toBeLessThan(0.7)
  })
})

test('intervals of median and p95 hold the truth in at least 9 of 10 samples', () => {
  const truth: Fitted = { kind: 'gamma', mean: 30 * SECOND, cv: 0.8 }
  const held = { p50: 0, p95: 0 }
  for (let seed = 0; seed < 40; seed++) {
    const fit = fitOf(drawn(truth, 120, seed).map(exact))!
    for (const [name, q] of [
      ['p50', 0.5],
      ['p95', 0.95],
    ] as const) {
      const { low, high } = fit[name]
      const value = valueAt(truth, q)
      if ((low ?? 0) <= value && value <= (high ?? Infinity)) held[name]++
    }
  }
  expect(held.p50).toBeGreaterThanOrEqual(36)
  expect(held.p95).toBeGreaterThanOrEqual(36)
})

test('fewer than eight values give no distribution', () => {
  expect(fitOf([1, 2, 3, 4, 5, 6, 7].map((each) => exact(each * SECOND)))).toBeNull()
})
