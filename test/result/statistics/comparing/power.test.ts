/**
 * The power of the tests that a gate could rest on, held to what was simulated before one was
 * chosen (4,000 gates each): five metrics whose logarithms vary from run to run by
 * the noise and by 2 % of sampling, Holm at 1 %, and a smallest change of 5 %. That they correlate
 * by 0.8, and that two of them move, is what all of these figures agree with.
 */
import { describe, expect, test } from 'vitest'
import { holm } from '../../../../src/result/statistics/comparing/levels.ts'
import { compareMeans } from '../../../../src/result/statistics/comparing/two-means.ts'
import { compareRanks } from '../../../../src/result/statistics/comparing/two-ranks.ts'
import type { Random } from '../../../../src/base/random.ts'
import { createRandom } from '../../../../src/base/random.ts'
import { areExperimentsRun } from '../../../experiments.ts'

const METRICS = 5
const MOVED = 2
const CORRELATION = 0.8
const SAMPLING = 0.02
const LEVEL = 0.01
const LEAST = Math.log(1.05)
const GATES = 1_000

interface Found {
  p: number
  effect: number
}
type Side = readonly (readonly number[])[]
type Test = (first: readonly number[], second: readonly number[]) => Found

/** By metric, the logarithms of the runs; the first two are shifted. */
function sideOf(runs: number, noise: number, shift: number, random: Random): Side {
  const spread = Math.hypot(noise, SAMPLING)
  const shared = Array.from({ length: runs }, () => Math.sqrt(CORRELATION) * random.normal())
  return Array.from({ length: METRICS }, (_, metric) =>
    shared.map((own) => {
      const alone = Math.sqrt(1 - CORRELATION) * random.normal()
      return (metric < MOVED ? shift : 0) + spread * (own + alone)
    }),
  )
}

const pooled: Test = (first, second) => {
  const { p, value } = compareMeans(first, second)!
  return { p, effect: value }
}

const ranked: Test = (first, second) => {
  const { p, value } = compareRanks(first, second)!
  return { p, effect: value! }
}

const TESTS = { pooled, ranked }
type Name = keyof typeof TESTS

/** In %: how often a metric is found to have changed. */
function found(name: Name, runs: number, { noise, slower }: { noise: number; slower: number }) {
  const random = createRandom(70_707)
  let count = 0
  for (let gate = 0; gate < GATES; gate++) {
    const own = random.fork(`${runs} ${noise} ${slower}`, gate)
    const first = sideOf(runs, noise, 0, own.fork('base'))
    const second = sideOf(runs, noise, Math.log(slower), own.fork('new'))
    const tests = first.map((base, metric) => TESTS[name](base, second[metric]!))
    const adjusted = holm(tests.map(({ p }) => p))
    if (tests.some(({ effect }, i) => adjusted[i]! < LEVEL && Math.abs(effect) >= LEAST)) count++
  }
  return (100 * count) / GATES
}

/** Three standard errors of a share of so many gates, and of the 4,000 that it is held to. */
function error(percent: number): number {
  const share = Math.min(0.99, Math.max(0.01, percent / 100))
  return 300 * Math.sqrt(share * (1 - share) * (1 / GATES + 1 / 4_000))
}

describe
  .runIf(areExperimentsRun)
  .each<[Name, [number, number], [number, number], [number, number]]>([
    ['pooled', [59, 95], [94, 100], [0.7, 0.6]],
    ['ranked', [0, 89], [0, 100], [0, 0.7]],
  ])('by the test named %s, 5 and 8 runs a side', (name, tenth, more, alarms) => {
  test.each([
    ['+10 %', 1.1, tenth],
    ['+15 %', 1.15, more],
    ['nothing', 1, alarms],
  ])('find %s as often as was simulated', (_change, slower, expected) => {
    for (const [i, runs] of [5, 8].entries()) {
      const share = found(name, runs, { noise: 0.03, slower })
      expect(Math.abs(share - expected[i]!)).toBeLessThanOrEqual(error(expected[i]!))
    }
  })
})

test('ranks of 5 runs a side cannot reach the level, whatever is true', () => {
  expect(ranked([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]).p * METRICS).toBeGreaterThan(LEVEL)
})

test('at 10 % of noise even 16 runs a side find +10 % in a third', () => {
  const noise = { noise: 0.1, slower: 1.1 }
  expect(Math.abs(found('pooled', 8, noise) - 10)).toBeLessThanOrEqual(error(10))
  expect(Math.abs(found('pooled', 16, noise) - 34)).toBeLessThanOrEqual(error(34))
})
