import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../src/base/random.ts'
import type { ArrivalProcess, NextPoint } from '../../../src/scenario/arrivals/processes.ts'
import { countBefore, pointsOf } from '../../../src/scenario/arrivals/processes.ts'
import { PROCESS_WORDS } from '../../../src/scenario/arrivals/processes.schema.ts'
import { planScenario } from '../../../src/scenario/schema/index.ts'
import { open, segment, timesOf } from './help.ts'

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function variance(values: readonly number[]): number {
  const center = mean(values)
  return mean(values.map((value) => (value - center) ** 2))
}

/** The process that an author means by this. */
function planned(process: unknown): ArrivalProcess {
  const scenario = { name: 'drawn', arrivals: { rate: '1/s', for: '1m', process }, inputs: {} }
  const { arrivals } = planScenario(scenario, { source: 'drawn' })
  if (arrivals.kind !== 'open') throw new Error('a rate makes open arrivals')
  return arrivals.process
}

/** How many points fall before `length`. */
function drawnBefore(length: number, next: NextPoint): number {
  let count = 0
  while (next() < length) count++
  return count
}

/** Points in each of `runs` independent runs of the given length. */
function counts(runs: number, length: number, process: ArrivalProcess): number[] {
  return Array.from({ length: runs }, (_, seed) =>
    drawnBefore(length, pointsOf(process, createRandom(seed))),
  )
}

function gaps(next: NextPoint, n: number): number[] {
  let before = next()
  return Array.from({ length: n }, () => {
    const point = next()
    const gap = point - before
    before = point
    return gap
  })
}

describe.each(Object.entries(PROCESS_WORDS))('%s', (kind, { example }) => {
  const process = planned(example)

  test('is what its example names', () => {
    expect(process.kind).toBe(kind)
  })

  test('expects one arrival per unit of length, in a short run too', () => {
    const seen = counts(4_000, 5, process)
    expect(mean(seen)).toBeGreaterThan(4.7)
    expect(mean(seen)).toBeLessThan(5.3)
  })

  test('never goes back', () => {
    const next = pointsOf(process, createRandom(1))
    expect(gaps(next, 10_000).every((gap) => gap >= 0)).toBe(true)
  })

  test('tells the number of arrivals where every run has the same', () => {
    const [count, ...others] = new Set(counts(50, 7.5, process))
    expect(countBefore(process, 7.5)).toBe(others.length === 0 ? count : null)
  })
})

describe('poisson', () => {
  test('counts with a variance equal to the mean', () => {
    const seen = counts(2_000, 20, { kind: 'poisson' })
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
    const seen = gaps(pointsOf({ kind: 'gamma', cv }, createRandom(5)), 40_000)
    expect(mean(seen)).toBeGreaterThan(0.95)
    expect(mean(seen)).toBeLessThan(1.05)
    expect(Math.sqrt(variance(seen)) / cv).toBeGreaterThan(0.95)
    expect(Math.sqrt(variance(seen)) / cv).toBeLessThan(1.05)
  })

  test('refuses a cv of zero as a bug of ours', () => {
    expect(() => pointsOf({ kind: 'gamma', cv: 0 }, createRandom(1))).toThrow(/cv above 0/)
  })
})
