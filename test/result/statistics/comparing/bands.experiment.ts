import { describe, expect, test } from 'vitest'
import { differenceBand, meanBand } from '../../../../src/result/statistics/comparing/bands.ts'
import { compareMeans } from '../../../../src/result/statistics/comparing/two-means.ts'
import { studentT } from '../../../../src/result/statistics/beta.ts'
import type { Random } from '../../../../src/base/random.ts'
import { createRandom } from '../../../../src/base/random.ts'

const SHARES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
const EXECUTIONS = 200

function normalOf(random: Random): () => number {
  return () => random.normal()
}

/** The logarithms of the deciles of one run of lognormal executions. */
function curveOf(random: Random, { noise, slower = 0 }: { noise: number; slower?: number }) {
  const shared = slower + noise * random.normal()
  const values = Array.from({ length: EXECUTIONS }, () => shared + 0.7 * random.normal())
  values.sort((a, b) => a - b)
  return SHARES.map((share) => values[Math.ceil(share * EXECUTIONS) - 1]!)
}

function side(runs: number, random: Random, slower = 0): number[][] {
  return Array.from({ length: runs }, () => curveOf(random, { noise: 0.03, slower }))
}

function mediansOf(runs: readonly (readonly number[])[]): number[] {
  return runs.map((curve) => curve[4]!)
}

/** How often the whole band of a known shift holds it at every decile. */
function coverage(runs: number, times: number): number {
  const random = createRandom(21)
  let held = 0
  for (let i = 0; i < times; i++) {
    const band = differenceBand(side(runs, random), side(runs, random, 0.1), {
      normal: normalOf(random.fork('band', i)),
    })
    if (band.every(({ low, high }) => low! <= 0.1 && high! >= 0.1)) held++
  }
  return held / times
}

describe('a band of a shift', () => {
  // 200 experiments each: a standard error of 1.5 %.
  test.each([3, 5, 8])(
    'of %i runs a side holds a known one at all deciles, in 95 of 100',
    (runs) => {
      const held = coverage(runs, 200)
      expect(held).toBeGreaterThanOrEqual(0.91)
      expect(held).toBeLessThanOrEqual(0.99)
    },
  )

  test('is that of Student’s test for a single place', () => {
    const [first, second] = [
      [0.1, 0.3, 0.2, 0.4, 0.15, 0.2],
      [0.5, 0.2, 0.6, 0.4, 0.45, 0.3],
    ]
    const [band] = differenceBand(
      first.map((value) => [value]),
      second.map((value) => [value]),
      { normal: normalOf(createRandom(1)) },
    )
    const { value, low, high } = compareMeans(first, second)!
    expect(band!.value).toBeCloseTo(value, 12)
    // The draws find the quantile of Student's t within their own error.
    expect((band!.high! - band!.low!) / (high - low)).toBeCloseTo(1, 1)
  })

  test('is narrower than Bonferroni’s where places depend on each other', () => {
    const [first, second] = [side(8, createRandom(5)), side(8, createRandom(6))]
    const band = differenceBand(first, second, { normal: normalOf(createRandom(1)) })
    const single = compareMeans(mediansOf(first), mediansOf(second))!
    const factor = (band[4]!.high! - band[4]!.low!) / (single.high - single.low)
    expect(factor).toBeGreaterThan(1.1)
    expect(factor).toBeLessThan(studentT(14, 1 - 0.05 / 9) / studentT(14) - 0.05)
  })

  test('has no ends where a side has one run, or where nothing differs', () => {
    const options = { normal: normalOf(createRandom(1)) }
    expect(
      differenceBand(
        [[1, 2]],
        [
          [2, 4],
          [2, 5],
        ],
        options,
      ),
    ).toEqual([
      { value: 1, low: null, high: null },
      { value: 2.5, low: null, high: null },
    ])
    const [same, other] = meanBand(
      [
        [0.1, 1],
        [0.1, 2],
        [0.1, 3],
      ],
      options,
    )
    expect(same).toEqual({ value: 0.1, low: null, high: null })
    expect(other!.low).toBeLessThan(2)
  })
})

test('the band of a mean curve holds it at all places, in 95 of 100', () => {
  const random = createRandom(22)
  const truth = SHARES.map(() => 0)
  // Of a normal distribution, the mean at each place is known.
  const runOf = (): number[] => {
    const shared = random.normal()
    return truth.map(() => 0.8 * shared + 0.6 * random.normal())
  }
  let held = 0
  for (let i = 0; i < 200; i++) {
    const runs = Array.from({ length: 9 }, runOf)
    const band = meanBand(runs, { normal: normalOf(random.fork('band', i)) })
    if (band.every(({ low, high }) => low! <= 0 && high! >= 0)) held++
  }
  expect(held / 200).toBeGreaterThanOrEqual(0.91)
  expect(held / 200).toBeLessThanOrEqual(0.99)
})
