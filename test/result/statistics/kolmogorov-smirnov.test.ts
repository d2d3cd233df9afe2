import { describe, expect, test } from 'vitest'
import { kolmogorovSmirnov } from '../../../src/result/statistics/kolmogorov-smirnov.ts'
import { createRandom } from '../../../src/base/random.ts'

/** `n` values against `n` between which the distance is `shift / n`. */
function shifted(n: number, shift: number): [number[], number[]] {
  return [
    Array.from({ length: n }, (_, i) => i),
    Array.from({ length: n }, (_, i) => i + shift - 0.5),
  ]
}

/** P(D >= distance) by looking at every order in which `n` and `m` values can come. */
function byEnumeration(n: number, m: number, distance: number): number {
  let [all, far] = [0, 0]
  const walk = (i: number, j: number, largest: number): void => {
    const here = Math.max(largest, Math.abs(i / n - j / m))
    if (i === n && j === m) {
      all++
      if (here >= distance - 1e-9) far++
      return
    }
    if (i < n) walk(i + 1, j, here)
    if (j < m) walk(i, j + 1, here)
  }
  walk(0, 0, 0)
  return far / all
}

describe('exact p', () => {
  /** 2 (C(2n, n - k) - C(2n, n - 2k) + ...) of C(2n, n) orders: Gnedenko and Korolyuk, 1951. */
  test.each([
    [5, 5, 2 / 252],
    [5, 4, 20 / 252],
    [10, 2, 183_732 / 184_756],
    [10, 3, 145_390 / 184_756],
    [10, 4, 77_140 / 184_756],
    [10, 5, 31_006 / 184_756],
    [10, 6, 9_690 / 184_756],
    [10, 7, 2_280 / 184_756],
    [10, 10, 2 / 184_756],
  ])('of %i values against as many, %i steps apart, is %f', (n, steps, p) => {
    const result = kolmogorovSmirnov(...shifted(n, steps))
    expect(result).toMatchObject({ n, m: n, distance: steps / n, method: 'exact' })
    expect(result.p).toBeCloseTo(p, 12)
  })

  test('of samples of unequal sizes is what counting all orders gives', () => {
    const random = createRandom(3)
    for (const [n, m] of [
      [1, 1],
      [2, 5],
      [7, 4],
      [8, 6],
    ] as const) {
      for (let round = 0; round < 5; round++) {
        const first = Array.from({ length: n }, () => random.next())
        const second = Array.from({ length: m }, () => random.next() + round / 10)
        const { p, distance } = kolmogorovSmirnov(first, second)
        expect(p).toBeCloseTo(byEnumeration(n, m, distance), 12)
      }
    }
  })

  test('keeps its digits where it is very small', () => {
    const { p } = kolmogorovSmirnov(...shifted(60, 60))
    // Of C(120, 60) orders, two set all of one sample below all of the other.
    let smallest = 2
    for (let i = 1; i <= 60; i++) smallest *= i / (60 + i)
    expect(p / smallest).toBeCloseTo(1, 9)
    expect(p).toBeLessThan(1e-34)
  })

  test('is 1 for equal samples, and values that are equal count once', () => {
    expect(kolmogorovSmirnov([3, 1, 2], [2, 3, 1])).toMatchObject({ distance: 0, p: 1 })
    expect(kolmogorovSmirnov([1, 1, 1, 2], [1, 2, 2, 2]).distance).toBe(0.5)
  })
})

describe('asymptotic p', () => {
  /**
   * 1 - L(z) by 200 terms of the alternating series in 60 digits; Smirnov's table of 1948 has the
   * first six.
   */
  test.each([
    [0.3, 0.999_990_694_199],
    [0.5, 0.963_945_243_665],
    [0.83, 0.496_190_995_351],
    [1, 0.269_999_671_677],
    [1.17, 0.129_390_042_186],
    [1.19, 0.117_742_292_880],
    [1.36, 0.049_485_876_755],
    [1.63, 0.009_846_364_888],
    [1.95, 0.000_995_910_843],
    [3, 0.000_000_030_460],
  ])('for z = %f is %f', (z, p) => {
    const n = 20_000
    const result = kolmogorovSmirnov(...shifted(n, Math.round(z * Math.sqrt(2 * n))))
    expect(result.method).toBe('asymptotic')
    expect(Math.abs(result.p - p)).toBeLessThan(1e-11)
  })
})
