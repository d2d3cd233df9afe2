/** What the plan of a gate tells of all its runs together. */
import { expect, test } from 'vitest'
import type { Forecast } from '../../../../src/run/forecast.ts'
import { seenBy, totalOf } from '../../../../src/study/comparing/gate/plan/outline.ts'
import { sidesOf } from '../comparison/sample-comparisons.ts'
import { TERMS } from './sample-gates.ts'

const NONE = { kickoffs: null, requests: null, maxCost: null, wallMicros: null }

/** Of one run of at most 100 arrivals, with 9 polls each as a rule. */
function factsOf(budget: Partial<Forecast['budget']> = {}): Forecast {
  const kickoffs = Math.min(100, budget.kickoffs ?? 100)
  return {
    scenario: 's',
    place: { kind: 'deployment', target: 't' },
    engine: 'node',
    seed: 1,
    speed: 1,
    kickoffs,
    requests: 10 * kickoffs,
    mostRequests: 30 * kickoffs,
    cost: 0.25 * kickoffs,
    peakKickoffsPerSecond: 1,
    isPeakMean: false,
    durationMs: 60_000,
    mostDurationMs: 90_000,
    deadlineMs: 30_000,
    budget: { ...NONE, ...budget },
    thresholds: [],
  }
}

const SIXTEEN = { runs: 16, arrivals: 100 }

test('kickoffs, requests, money and time are those of all runs', () => {
  expect(totalOf(factsOf(), SIXTEEN)).toEqual({
    runs: 16,
    kickoffs: 1_600,
    requests: 16_000,
    mostRequests: 48_000,
    cost: 400,
    durationMs: 960_000,
    mostDurationMs: 1_440_000,
    affordable: null,
  })
})

test.each([
  [{ kickoffs: 350 }, { kickoffs: 350, requests: 3_500, cost: 87.5, affordable: 3 }],
  [{ kickoffs: 50 }, { kickoffs: 50, requests: 500, cost: 12.5, affordable: 0 }],
  [{ requests: 4_000 }, { kickoffs: 1_600, requests: 4_000, mostRequests: 4_000, affordable: 4 }],
])('a budget of %o cuts them, and the plan says after how many runs', (budget, expected) => {
  expect(totalOf(factsOf(budget), SIXTEEN)).toMatchObject(expected)
})

test('clients that complete what they can have no total', () => {
  const total = totalOf({ ...factsOf(), kickoffs: null }, { ...SIXTEEN, arrivals: null })
  expect(total).toMatchObject({ kickoffs: null, mostRequests: null, cost: null, affordable: null })
})

test('more noise of the baseline hides larger changes, and more runs see smaller ones', () => {
  const judged = ['execution.p50', 'execution.p95', 'execution.failed']
  const changeOf = (noise: number, runs: number): number[] => {
    const { base } = sidesOf({ runs: 8, noise }, { runs: 1 })
    return seenBy(base, judged, { ...TERMS, runs }).map(({ change }) => change)
  }
  const [quiet, loud, many] = [changeOf(0.02, 8), changeOf(0.1, 8), changeOf(0.02, 32)]
  expect(quiet).toHaveLength(2)
  for (const i of [0, 1]) {
    expect(loud[i]).toBeGreaterThan(quiet[i]!)
    expect(many[i]).toBeLessThan(quiet[i]!)
  }
  // 10 % is found by 8 runs in nearly all gates where the noise is 3 %.
  expect(seenBy([], judged, TERMS)[0]!.change).toBeLessThan(0.1)
})
