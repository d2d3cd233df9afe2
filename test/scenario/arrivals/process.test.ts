import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../src/base/random.ts'
import { gammaProcess } from '../../../src/scenario/arrivals/gamma.ts'
import { poissonProcess } from '../../../src/scenario/arrivals/poisson.ts'
import type { PointProcess } from '../../../src/scenario/arrivals/process.ts'
import { constant, open, segment, timesOf } from './help.ts'

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function variance(values: readonly number[]): number {
  const center = mean(values)
  return mean(values.map((value) => (value - center) ** 2))
}

/** How many points fall before `length`. */
function countBefore(length: number, next: PointProcess): number {
  let count = 0
  while (next() < length) count++
  return count
}

/** Points in each of `runs` independent runs of the given length. */
function counts(runs: number, length: number, create: (seed: number) => PointProcess): number[] {
  return Array.from({ length: runs }, (_, seed) => countBefore(length, create(seed)))
}

function gaps(process: PointProcess, n: number): number[] {
  let before = process()
  return Array.from({ length: n }, () => {
    const point = process()
    const gap = point - before
    before = point
    return gap
  })
}

describe('poisson', () => {
  test('counts with a variance equal to the mean', () => {
    const seen = counts(2_000, 20, (seed) => poissonProcess(createRandom(seed)))
    expect(mean(seen)).toBeCloseTo(20, 0)
    expect(variance(seen) / mean(seen)).toBeGreaterThan(0.9)
    expect(variance(seen) / mean(seen)).toBeLessThan(1.1)
  })

  test('follows the rate: a ramp from zero has a quarter in its first half', () => {
    const times = timesOf(open([segment('0/s', '200/s', '100s')], { kind: 'poisson' }))
    const early = times.filter((time) => time < 50e6).length / times.length
    expect(early).toBeCloseTo(0.25, 1)
  })
})

describe('gamma', () => {
  test.each([0.2, 1, 3])('has gaps of mean 1 and coefficient of variation %d', (cv) => {
    const seen = gaps(gammaProcess(cv, createRandom(5)), 40_000)
    expect(mean(seen)).toBeGreaterThan(0.95)
    expect(mean(seen)).toBeLessThan(1.05)
    expect(Math.sqrt(variance(seen)) / cv).toBeGreaterThan(0.95)
    expect(Math.sqrt(variance(seen)) / cv).toBeLessThan(1.05)
  })

  test('offers what was asked for however bursty, even in a short run', () => {
    const seen = counts(4_000, 5, (seed) => gammaProcess(3, createRandom(seed)))
    expect(mean(seen)).toBeGreaterThan(4.6)
    expect(mean(seen)).toBeLessThan(5.4)
  })

  test('offers the rate of its plan', () => {
    const times = timesOf(open([constant('50/s', '200s')], { kind: 'gamma', cv: 2 }))
    expect(times.length / 10_000).toBeGreaterThan(0.93)
    expect(times.length / 10_000).toBeLessThan(1.07)
  })

  test('refuses a cv of zero as a bug of ours', () => {
    expect(() => gammaProcess(0, createRandom(1))).toThrow(/cv above 0/)
  })
})
