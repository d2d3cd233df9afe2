/** Distributions: their moments and quantiles are those that their parameters say. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Distribution } from '../../src/base/distribution.ts'
import { draw, scale } from '../../src/base/distribution.ts'
import type { Random } from '../../src/base/random.ts'
import { createRandom, inverseNormal } from '../../src/base/random.ts'

const COUNT = 20_000

function sample(distribution: Distribution): number[] {
  const random = createRandom(11)
  return Array.from({ length: COUNT }, (_, n) => draw(distribution, random.fork('', n))).sort(
    (a, b) => a - b,
  )
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/**
 * A stream whose one uniform is given: what a distribution makes of it is then a plain function.
 */
function fixed(uniform: number): Random {
  return { ...createRandom(1), next: () => uniform, normal: () => inverseNormal(uniform) }
}

test('constant is constant', () => {
  expect(new Set(sample({ kind: 'constant', value: 7 }))).toEqual(new Set([7]))
})

test('uniform has its mean, and stays inside', () => {
  const values = sample({ kind: 'uniform', min: 10, max: 20 })
  expect(Math.abs(mean(values) - 15)).toBeLessThan(0.1)
  expect(values[0]! >= 10 && values.at(-1)! <= 20).toBe(true)
})

describe('lognormal', () => {
  test('gives exactly its median and p95 at those uniforms', () => {
    const distribution: Distribution = { kind: 'lognormal', median: 60, p95: 210 }
    expect(draw(distribution, fixed(0.5))).toBeCloseTo(60, 9)
    expect(draw(distribution, fixed(0.95))).toBeCloseTo(210, 6)
  })

  test('is clipped at its cap, not drawn again', () => {
    const values = sample({ kind: 'lognormal', median: 60, p95: 210, cap: 210 })
    expect(values.at(-1)).toBe(210)
    expect(values.filter((value) => value === 210).length / COUNT).toBeCloseTo(0.05, 2)
  })
})

describe('gamma', () => {
  test.each([
    [1, 60],
    [0.3, 60],
    [2.5, 60],
  ])('with cv %d has mean %d and that cv', (cv, expected) => {
    const values = sample({ kind: 'gamma', mean: expected, cv })
    const average = mean(values)
    const deviation = Math.sqrt(mean(values.map((value) => (value - average) ** 2)))
    expect(Math.abs(average / expected - 1)).toBeLessThan((4 * cv) / Math.sqrt(COUNT))
    expect(Math.abs(deviation / average / cv - 1)).toBeLessThan(0.08)
  })

  test('with cv 1 is exponential', () => {
    const values = sample({ kind: 'gamma', mean: 1, cv: 1 })
    expect(values[COUNT * 0.5]).toBeCloseTo(Math.LN2, 1)
    expect(Math.abs(values[COUNT * 0.95]! / -Math.log(0.05) - 1)).toBeLessThan(0.05)
  })

  test('is clipped at its cap', () => {
    expect(sample({ kind: 'gamma', mean: 60, cv: 2, cap: 100 }).at(-1)).toBe(100)
  })
})

describe('quantiles', () => {
  const points = [
    { q: 0, value: 10 },
    { q: 0.5, value: 20 },
    { q: 0.9, value: 100 },
    { q: 1, value: 300 },
  ]

  test.each([
    [0.25, 15],
    [0.5, 20],
    [0.7, 60],
    [0.95, 200],
  ])('at %d lies %d on the line', (uniform, value) => {
    expect(draw({ kind: 'quantiles', points }, fixed(uniform))).toBeCloseTo(value, 9)
  })

  test('with a single point are that value', () => {
    const single: Distribution = { kind: 'quantiles', points: [{ q: 0, value: 5 }] }
    expect(draw(single, fixed(0.4))).toBe(5)
  })
})

const positive = fc.double({ min: 0.001, max: 1e6, noNaN: true })
const anyDistribution: fc.Arbitrary<Distribution> = fc.oneof(
  fc.record({ kind: fc.constant('constant' as const), value: positive }),
  fc
    .tuple(positive, positive)
    .map(([min, more]) => ({ kind: 'uniform' as const, min, max: min + more })),
  fc
    .tuple(positive, positive)
    .map(([median, more]) => ({ kind: 'lognormal' as const, median, p95: median + more })),
  fc.tuple(positive, positive).map(([low, more]) => ({
    kind: 'quantiles' as const,
    points: [
      { q: 0, value: low },
      { q: 1, value: low + more },
    ],
  })),
)

describe('every one that takes a single uniform', () => {
  const uniform = fc.double({ min: 1e-6, max: 1 - 1e-6, noNaN: true })

  test('never falls when the uniform rises, so that ranks survive a change of parameters', () => {
    fc.assert(
      fc.property(anyDistribution, uniform, uniform, (distribution, a, b) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)]
        const drawn = draw(distribution, fixed(low))
        expect(drawn).toBeGreaterThanOrEqual(0)
        expect(drawn).toBeLessThanOrEqual(draw(distribution, fixed(high)) * (1 + 1e-12))
      }),
      { seed: 1, numRuns: 300 },
    )
  })

  test('scaled draws are draws scaled', () => {
    fc.assert(
      fc.property(anyDistribution, uniform, positive, (distribution, at, factor) => {
        const scaled = draw(scale(distribution, factor), fixed(at))
        expect(scaled / (draw(distribution, fixed(at)) * factor)).toBeCloseTo(1, 6)
      }),
      { seed: 1, numRuns: 300 },
    )
  })
})

test('a gamma and its cap are scaled alike', () => {
  const distribution: Distribution = { kind: 'gamma', mean: 60, cv: 2, cap: 100 }
  expect(scale(distribution, 0.5)).toEqual({ kind: 'gamma', mean: 30, cv: 2, cap: 50 })
})
