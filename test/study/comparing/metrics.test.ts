/**
 * What comparisons say of crews whose truth is known: false alarms, power, and what is no number.
 */
import { describe, expect, test } from 'vitest'
import type { Metric } from '../../../src/result/document.ts'
import { createRandom } from '../../../src/base/random.ts'
import { compareAll } from '../../../src/study/comparing/metrics.ts'
import type { ShapesCompared, Terms } from '../../../src/study/comparing/shapes.ts'
import { DEFAULT_JUDGED } from '../../../src/study/comparing/options.ts'
import { metricOf, runsOf } from '../../support/ci/gates.ts'

const TERMS: Terms = {
  smallestChange: 0.05,
  smallestDifference: 0.01,
  level: 0.01,
  equivalent: null,
}
function metrics(unit: Metric['unit'], name: string, values: readonly Metric['value'][]) {
  return values.map((value) => ({ [name]: metricOf(unit, value, 300) }))
}

function compared(base: Metric['value'][], next: Metric['value'][], terms = TERMS): ShapesCompared {
  const sides = [base, next].map((values) => metrics('ms', 'execution.p95', values))
  return compareAll(sides[0]!, sides[1]!, ['execution.p95'], terms)[0]!
}

const constant = (value: number, runs: number) => Array.from({ length: runs }, () => value)

describe('one metric', () => {
  test('that is longer by a third says so, with its interval', () => {
    const { change, direction, significant, moreRuns } = compared([98, 100, 102], [131, 133, 135])
    expect(change).toMatchObject({ ratio: expect.closeTo(1.33, 2) })
    expect(significant).toBe(true)
    expect(direction).toBe('worse')
    expect(moreRuns).toBeNull()
  })

  test('whose change is proven but too small to count is not significant', () => {
    const found = compared([100, 100.1, 99.9, 100], [102, 102.1, 101.9, 102])
    expect(found.p).toBeLessThan(0.01)
    expect(found.significant).toBe(false)
  })

  test('that came in most runs of the base alone is worse, without a ratio', () => {
    const found = compared([100, 101, 102], ['never', 'never', 103])
    expect(found).toMatchObject({ change: null, significant: true, direction: 'worse' })
    expect(found.new).toMatchObject({ median: 'never', typical: 'never' })
    const back = compared(['never', 'never', 'never'], [100, 101, 102])
    expect(back).toMatchObject({ change: null, significant: true, direction: 'better' })
  })

  test('that came in no run of a side is proven by five runs, among five judged ones', () => {
    const others = { noise: 0.03 }
    const random = createRandom(8)
    const [base, next] = [runsOf(5, others, random), runsOf(5, others, random)]
    const never = metricOf('ms', 'never', 60)
    const dead = next.map((run) => Object.assign({}, run, { 'execution.p95': never }))
    const found = compareAll(base, dead, DEFAULT_JUDGED, TERMS)
    expect(found.filter(({ significant }) => significant).map(({ name }) => name)).toEqual([
      'execution.p95',
    ])
  })

  test('that never came in one run of five is still compared, and left open if nothing is proven', () => {
    const base = [100, 101, 99, 102, 98]
    const found = compared(base, [131, 133, 130, 134, 'never'])
    expect(found).toMatchObject({ significant: true, direction: 'worse', undecided: null })
    expect(found.change).toMatchObject({ ratio: expect.closeTo(1.32, 1) })
    expect(compared(base, [101, 100, 99, 98, 'never'])).toMatchObject({
      significant: false,
      undecided: 'never',
    })
  })

  test('that is never on both sides is undecided', () => {
    const never = ['never', 'never', 'never'] as const
    expect(compared([...never], [...never])).toMatchObject({ p: null, undecided: 'never' })
  })

  test('without any spread is decided by as many runs as ranks need, and else left open', () => {
    expect(compared(constant(1_000, 5), constant(1_200, 5))).toMatchObject({
      change: { ratio: expect.closeTo(1.2, 9) },
      p: expect.closeTo(2 / 252, 9),
      significant: true,
    })
    expect(compared(constant(1_000, 3), constant(1_200, 3))).toMatchObject({
      change: null,
      p: null,
      undecided: 'too-few',
      direction: 'worse',
      moreRuns: 2,
    })
    expect(compared(constant(1_000, 3), constant(1_000, 3))).toMatchObject({
      p: 1,
      undecided: null,
    })
    expect(compared(constant(1_000, 30), constant(1_200, 30)).significant).toBe(true)
    expect(compared([100], [300])).toMatchObject({ p: null, significant: false, moreRuns: 2 })
  })

  test('that was 0 and is not any more is worse, though it has no ratio', () => {
    const found = compared(constant(0, 8), [1, 2, 3, 4, 5, 6, 7, 8])
    expect(found).toMatchObject({ change: null, significant: true, direction: 'worse' })
  })

  test('with one outlier of eight is compared as without it', () => {
    const base = [100, 101, 99, 102, 98, 100.5, 99.5, 1_000]
    const next = base.map((_, i) => 130 + i / 2)
    expect(compared(base, next)).toMatchObject({ significant: true, direction: 'worse' })
    const alike = [99, 100, 101, 102, 98, 99.4, 100.6, 101.1]
    expect(compared(base, alike).significant).toBe(false)
  })

  test('all of whose values are worse than all before is proven, however they are spread', () => {
    const base = [10, 11, 12, 13, 14, 15, 16, 17]
    const wild = [18, 19, 20, 25, 90, 400, 3_000, 100_000]
    expect(compared(base, wild)).toMatchObject({ significant: true, direction: 'worse' })
  })

  test('tells a change that follows from the two values beside it', () => {
    const found = compared([1_840, 1_700, 2_100, 1_650], [1_970, 2_300, 1_990, 2_150])
    const [from, to] = [found.base.typical as number, found.new.typical as number]
    expect(found.change).toMatchObject({ ratio: expect.closeTo(to / from, 9) })
  })

  test('in different units is undecided', () => {
    const sides = [metrics('ms', 'x', [1, 2, 3]), metrics('share', 'x', [1, 1, 1])] as const
    expect(compareAll(...sides, ['x'], TERMS)[0]).toMatchObject({ p: null, undecided: 'units' })
  })

  test('that fewer runs measured than before is left open', () => {
    const found = compared([100, 101, 99, 100], [100, 99, null, null])
    expect(found).toMatchObject({ significant: false, undecided: 'missing' })
  })

  test('is shown to be the same within a margin only where its interval lies inside', () => {
    const terms = { ...TERMS, equivalent: 0.05 }
    expect(compared([100, 101, 99, 100], [100, 99, 101, 100.5], terms).equal).toBe(true)
    expect(compared([100, 120, 80, 100], [100, 80, 121, 100], terms).equal).toBe(false)
    expect(compared([100, 101, 99, 100], [100, 99, 101, 100.5]).equal).toBeNull()
  })

  test('of which more is better is worse where it falls', () => {
    const name = 'throughput.completed'
    const sides = [
      [9, 10, 11],
      [5, 6, 7],
    ].map((values) => metrics('perSecond', name, values))
    const [found] = compareAll(sides[0]!, sides[1]!, [name], TERMS)
    expect(found!.direction).toBe('worse')
  })
})

const runWith = (value: Metric['value']): Record<string, Metric> => ({
  a: metricOf('ms', value, 9),
  b: metricOf('ms', value, 9),
  c: metricOf('ms', 5, 9),
})

test('a judged metric that a side did not measure is shown as such, and others are left out', () => {
  const terms = { ...TERMS, equivalent: 0.05 }
  const found = compareAll([runWith(null)], [runWith(7)], ['a', 'c'], terms)
  expect(found.map(({ name }) => name)).toEqual(['a', 'c'])
  expect(found[0]).toMatchObject({
    judged: true,
    base: { median: null, runs: 0 },
    new: { median: 7, runs: 1 },
    change: null,
    p: null,
    equal: false,
    moreRuns: null,
  })
})

test('a share is told of all executions of a side, as its change is', () => {
  const [base, next] = [
    [0, 0, 0.5],
    [0, 0.1, 0.4],
  ].map((values) => values.map((value, i) => ({ x: metricOf('share', value, i === 0 ? 30 : 10) })))
  const [found] = compareAll(base!, next!, ['x'], TERMS)
  expect(found).toMatchObject({ base: { median: 0, overall: 0.1 }, new: { overall: 0.1 } })
  expect(found?.change).toMatchObject({ difference: 0 })
})

function measured(value: number, low: number, high: number): Record<string, Metric> {
  return { x: { ...metricOf('ms', value, 300), low, high } }
}

test('a change between single runs has the interval of both of theirs', () => {
  const [found] = compareAll([measured(100, 80, 125)], [measured(200, 100, 400)], ['x'], TERMS)
  const width = Math.exp(Math.hypot(Math.log(1.25), Math.log(2)))
  expect(found?.change).toMatchObject({
    ratio: expect.closeTo(2, 9),
    low: expect.closeTo(2 / width, 9),
    high: expect.closeTo(2 * width, 9),
  })
})

test('the least p of five judged metrics is five times what it is alone', () => {
  const random = createRandom(5)
  const crew = { noise: 0.03 }
  const sides = [runsOf(5, crew, random), runsOf(5, { ...crew, slower: 1.08 }, random)] as const
  const together = compareAll(...sides, DEFAULT_JUDGED, TERMS).filter(({ judged }) => judged)
  const least = together.reduce((a, b) => (b.p! < a.p! ? b : a))
  const [alone] = compareAll(...sides, [least.name], TERMS)
  expect(least.p).toBeLessThan(0.5)
  expect(least.p! / alone!.p!).toBeCloseTo(5, 9)
})
