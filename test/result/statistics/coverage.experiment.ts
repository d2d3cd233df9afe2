/**
 * Intervals hold the truth as often as they promise where arrivals queue behind each other;
 * independent ones do not.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { atLeast } from '../../../src/result/statistics/beta.ts'
import {
  arrivalsForHonestInterval,
  relaxationArrivals,
} from '../../../src/result/statistics/planning.ts'
import { createRandom } from '../../../src/base/random.ts'
import type { Coverage, Tally } from '../../support/cells/coverage.ts'
import { coverageOf } from '../../support/cells/coverage.ts'
import type { Queue } from '../../support/cells/queue.ts'
import {
  exponentialQuantile,
  exponentialService,
  lognormalService,
  simulatedQuantile,
} from '../../support/cells/queue.ts'

const SEED = 3_021

const exponential = (servers: number, load: number): Queue => ({
  servers,
  load,
  service: exponentialService,
})
const lognormal: Queue = { servers: 10, load: 0.67, service: lognormalService }

function cover(queue: Queue, p95: number, arrivals: number, replications: number, isCut = false) {
  const random = createRandom(SEED).fork(`${queue.servers} ${queue.load} ${arrivals}`)
  return coverageOf({ queue, p95, arrivals, replications, isCut }, random)
}

/** Chance of so few, or fewer, that hold the truth when the promise is kept. */
function chanceOf({ held, tooGood, tooBad }: Tally, promised: number): number {
  const n = held + tooGood + tooBad
  return 1 - atLeast(held + 1, n, promised)
}

const keeps = (tally: Tally, promised: number) => chanceOf(tally, promised) > 0.01

test('the simulated queue is the one of the formula', () => {
  for (const queue of [exponential(1, 0.5), exponential(4, 0.75), exponential(10, 0.85)]) {
    const simulated = simulatedQuantile(queue, 0.95, 400_000, createRandom(SEED))
    expect(simulated / exponentialQuantile(queue, 0.95)).toBeCloseTo(1, 1)
  }
  expect(exponentialQuantile(exponential(1, 0.5), 0.95)).toBeCloseTo(-2 * Math.log(0.05), 6)
})

describe('up to a load of 0.7: at least 94 % at any size', () => {
  let p95 = 0
  beforeAll(() => {
    p95 = simulatedQuantile(lognormal, 0.95, 1_000_000, createRandom(SEED))
  })

  test.each([500, 2_000, 8_000])('10 servers, lognormal, %d arrivals', (n) => {
    const coverage = cover(lognormal, p95, n, 200)
    expect([keeps(coverage.p95, 0.94), keeps(coverage.share, 0.94)]).toEqual([true, true])
  })

  test.each([500, 2_000])('4 servers, exponential, %d arrivals', (n) => {
    const queue = exponential(4, 0.67)
    const coverage = cover(queue, exponentialQuantile(queue, 0.95), n, 200)
    expect([keeps(coverage.p95, 0.94), keeps(coverage.share, 0.94)]).toEqual([true, true])
  })

  test.each([500, 2_000])('4 servers, %d arrivals, cut at the last', (n) => {
    const queue = exponential(4, 0.67)
    const coverage = cover(queue, exponentialQuantile(queue, 0.95), n, 200, true)
    expect([keeps(coverage.p95, 0.94), keeps(coverage.share, 0.94)]).toEqual([true, true])
  })
})

describe('4 servers at a load of 0.85', () => {
  const queue = exponential(4, 0.85)
  let coverage: Coverage
  beforeAll(() => {
    const arrivals = Math.ceil(arrivalsForHonestInterval(0.85))
    coverage = cover(queue, exponentialQuantile(queue, 0.95), arrivals, 150)
  })

  test('from 200 relaxation times on, at least 90 %', () => {
    expect(keeps(coverage.p95, 0.9)).toBe(true)
    expect(keeps(coverage.share, 0.9)).toBe(true)
  })

  test('an interval that takes the waits for independent holds the truth in less than half', () => {
    expect(coverage.p95Independent.held).toBeLessThan(75)
    expect(coverage.shareIndependent.held).toBeLessThan(75)
    expect(keeps(coverage.p95Independent, 0.9)).toBe(false)
  })
})

test('without companions the series above a bound is too sure where hits come in clusters', () => {
  const queue = exponential(4, 0.85)
  const arrivals = Math.ceil(20 * relaxationArrivals(0.85))
  const coverage = cover(queue, exponentialQuantile(queue, 0.95), arrivals, 200)
  expect(coverage.shareAlone.tooGood).toBeGreaterThan(30)
  expect(coverage.share.tooGood).toBeLessThan(coverage.shareAlone.tooGood / 2)
})
