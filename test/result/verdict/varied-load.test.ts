/** A load that varies by plan: its rise is no chance, and yet one overloaded top proves little. */
import { expect, test } from 'vitest'
import type { ThresholdResult } from '../../../src/result/document.ts'
import { atLeast } from '../../../src/result/statistics/beta.ts'
import { createRandom } from '../../../src/base/random.ts'
import type { Scenario } from '../../../src/scenario/define.ts'
import { areExperimentsRun } from '../../experiments.ts'
import type { VariedQueue } from '../../support/cells/varied-load.ts'
import { exceededBy, judgedAt, ramp, spike, variedRuns } from '../../support/cells/varied-load.ts'
import { virtualRun } from '../../support/virtual-run.ts'

/** Two of a kind at once. */
const CREW = `
tasks: [{ id: work, agent: Worker, duration: { uniform: { min: 2s, max: 6s } }, output: 100B }]
capacity: { workers: 4 }
`

async function p95Of(
  arrivals: Scenario['arrivals'],
  bound: '< 30s' | '< 60s',
): Promise<ThresholdResult> {
  const { thresholds } = await virtualRun({
    crew: CREW,
    seed: 4,
    scenario: { arrivals, deadline: '5m', thresholds: { 'execution.p95': bound } },
  })
  return thresholds.find(({ metric }) => metric === 'execution.p95')!
}

const RAMP = { ramp: { from: '0.1/s', to: '1/s' }, for: '20m', process: 'poisson' } as const
const STEPS = {
  steps: ['15/m', '30/m', '60/m'].map((rate) => ({ rate, for: '5m' })),
  process: 'poisson',
} as Scenario['arrivals']
const SPIKE = {
  spike: { base: '0.4/s', peak: '1.2/s', after: '5m', for: '2m' },
  for: '20m',
  process: 'poisson',
} as const

test.each([
  ['a ramp', RAMP],
  ['steps', STEPS],
  ['a spike', SPIKE],
] as [string, Scenario['arrivals']][])(
  '%s is met by its interval where nobody comes near the bound, however waits rise with the load',
  async (_, arrivals) => {
    const { status, judged, measured } = await p95Of(arrivals, '< 60s')
    expect({ status, judged }).toEqual({ status: 'met', judged: 'interval' })
    expect(measured.n).toBeGreaterThan(400)
    expect(measured.value).toBeLessThan(30_000)
  },
)

test('where some took more than half the bound one such run proves nothing, and the hint says what would', async () => {
  const { status, hint, measured } = await p95Of(RAMP, '< 30s')
  expect(measured.value).toBeLessThan(30_000)
  expect({ status, hint }).toEqual({
    status: 'undecided',
    hint: 'some took over half the bound, perhaps because the load varies: keep the rate of interest constant, or judge it by value',
  })
})

/**
 * So many, or more, of `runs` would come once in a thousand tests if each came with this chance.
 */
const exceeds = (count: number, runs: number, chance: number): boolean =>
  atLeast(count, runs, chance) < 0.001

const RUNS = areExperimentsRun ? 200 : 50
const CONGESTED: [string, VariedQueue][] = [
  ['a ramp up to capacity', { servers: 10, peakLoad: 1, shape: ramp, arrivals: 660 }],
  ['a ramp beyond capacity', { servers: 10, peakLoad: 1.2, shape: ramp, arrivals: 660 }],
  ['a ramp far beyond capacity', { servers: 4, peakLoad: 1.5, shape: ramp, arrivals: 660 }],
  ['a spike up to capacity', { servers: 4, peakLoad: 1, shape: spike, arrivals: 660 }],
]

test.each(CONGESTED)('%s with the truth at the bound is not decided', (_, queue) => {
  const runs = variedRuns(queue, RUNS, createRandom(12))
  const { met, missed } = judgedAt(exceededBy(0.05, runs), runs)
  expect(exceeds(met, RUNS, 0.025)).toBe(false)
  expect(exceeds(missed, RUNS, 0.025)).toBe(false)
})
