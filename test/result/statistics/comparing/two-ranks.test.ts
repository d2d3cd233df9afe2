import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { median, rankInterval } from '../../../../src/result/statistics/quantiles.ts'
import { compareRanks } from '../../../../src/result/statistics/comparing/two-ranks.ts'

/** All ways to take `size` of the values. */
function* choices(values: readonly number[], size: number): Generator<number[]> {
  if (size === 0) {
    yield []
    return
  }
  for (let i = 0; i + size <= values.length; i++) {
    for (const rest of choices(values.slice(i + 1), size - 1)) yield [values[i]!, ...rest]
  }
}

/** By its definition: pairs in which the second is larger, and half of those that are equal. */
function pairsAbove(first: readonly number[], second: readonly number[]): number {
  const each = first.flatMap((a) => second.map((b) => (b > a ? 1 : b === a ? 0.5 : 0)))
  return each.reduce<number>((sum, value) => sum + value, 0)
}

function without(all: readonly number[], taken: readonly number[]): number[] {
  const left = [...all]
  for (const value of taken) left.splice(left.indexOf(value), 1)
  return left
}

function enumerated(first: readonly number[], second: readonly number[]): number {
  const all = [...first, ...second]
  const found = pairsAbove(first, second)
  const others = [...choices(all, first.length)].map((taken) =>
    pairsAbove(taken, without(all, taken)),
  )
  const below = others.filter((u) => u <= found + 1e-9).length / others.length
  const above = others.filter((u) => u >= found - 1e-9).length / others.length
  return Math.min(1, 2 * Math.min(below, above))
}

const sample = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 5 })

describe('the test of Mann and Whitney', () => {
  test('is that of an enumeration of all divisions, with ties', () => {
    fc.assert(
      fc.property(sample, sample, (first, second) => {
        expect(compareRanks(first, second)!.p).toBeCloseTo(enumerated(first, second), 10)
      }),
      { numRuns: 200 },
    )
  })

  test.each([
    // Two-sided critical values of U at 5 %, in every table: 3, 2 | 5, 5 | 8, 8 | 10, 23 | 20, 127.
    [5, 5, 2],
    [8, 8, 13],
    [10, 10, 23],
    [20, 20, 127],
  ])('of %i and %i values is significant at 5 %% up to U = %i', (n, m, critical) => {
    expect(compareRanks(...withU(n, m, critical))!.p).toBeLessThanOrEqual(0.05)
    expect(compareRanks(...withU(n, m, critical + 1))!.p).toBeGreaterThan(0.05)
  })

  test('takes a value that never came, and no side of more than 20', () => {
    const found = compareRanks([1, 2, 3, 4, 5], [6, 7, Infinity, Infinity, Infinity])!
    expect(found).toEqual({ value: null, low: null, high: null, p: expect.closeTo(2 / 252, 10) })
    expect(
      compareRanks(
        [1],
        Array.from({ length: 21 }, (_, i) => i),
      ),
    ).toBeNull()
    expect(compareRanks([], [1])).toBeNull()
  })
})

/** Samples without ties of which exactly `u` pairs have the second below the first. */
function withU(n: number, m: number, u: number): [number[], number[]] {
  const first = Array.from({ length: n }, (_, i) => {
    const below = Math.max(0, Math.min(m, u - i * m))
    return below + 0.5 + i / 1_000
  })
  return [first, Array.from({ length: m }, (_, j) => j + 1)]
}

describe('the shift of Hodges and Lehmann', () => {
  test('is the median of all differences, and moves with the second side', () => {
    fc.assert(
      fc.property(sample, sample, fc.integer({ min: -9, max: 9 }), (first, second, by) => {
        const rising = first.flatMap((a) => second.map((b) => b - a)).sort((a, b) => a - b)
        const half = Math.floor(rising.length / 2)
        const odd = rising.length % 2 === 1
        const brute = odd ? rising[half]! : (rising[half - 1]! + rising[half]!) / 2
        const found = compareRanks(first, second)!
        expect(found.value).toBeCloseTo(brute, 10)
        const moved = compareRanks(
          first,
          second.map((value) => value + by),
        )!
        expect(moved.value).toBeCloseTo(brute + by, 10)
      }),
    )
  })

  test('has an interval that excludes 0 where the test is significant at 5 %', () => {
    const distinct = fc.uniqueArray(fc.integer({ min: 0, max: 999 }), {
      minLength: 12,
      maxLength: 12,
    })
    fc.assert(
      fc.property(
        distinct,
        fc.integer({ min: 4, max: 8 }),
        fc.integer({ min: 0, max: 600 }),
        (values, n, by) => {
          const first = values.slice(0, n)
          const second = values.slice(n).map((value) => value + by + 0.5)
          const { low, high, p } = compareRanks(first, second)!
          expect(low! > 0 || high! < 0).toBe(p <= 0.05)
        },
      ),
    )
  })

  test('has none of three values a side', () => {
    expect(compareRanks([1, 2, 3], [4, 5, 6])).toMatchObject({ low: null, high: null })
  })
})

/** As benchstat prints a side: the median, and the wider half of its interval. */
function side(values: readonly number[]): string {
  const rising = values.toSorted((a, b) => a - b)
  const center = median(values)
  const { low, high } = rankInterval(values.length, 0.5)
  const reach = Math.max(rising[high! - 1]! - center, center - rising[low! - 1]!) / center
  return `${(center / 1_000).toFixed(3)}µ ± ${Math.round(100 * reach)}%`
}

describe('benchstat’s published example (golang.org/x/perf/cmd/benchstat), ns an operation', () => {
  const json = [
    [1726, 1723, 1707, 1707, 1713, 1729, 1736, 1707, 1705, 1774],
    [1423, 1416, 1411, 1413, 1412, 1426, 1422, 1424, 1447, 1425],
  ] as const
  const gob = [
    [3069, 3075, 3069, 3067, 3207, 3064, 3064, 3058, 3059, 3062],
    [3075, 3065, 3059, 3065, 3060, 3081, 3186, 3135, 3087, 3062],
  ] as const

  test.each([
    ['json', json, '1.718µ ± 1%', '1.423µ ± 1%', '0.000', '-17.20'],
    ['gob', gob, '3.066µ ± 0%', '3.070µ ± 2%', '0.446', '~'],
  ] as const)('%s has the same medians, intervals, change and p', (_, [old, now], ...row) => {
    const { p } = compareRanks(old, now)!
    const change = p > 0.05 ? '~' : (100 * (median(now) / median(old) - 1)).toFixed(2)
    expect([side(old), side(now), p.toFixed(3), change]).toEqual(row)
  })
})
