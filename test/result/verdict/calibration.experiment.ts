/**
 * A short, seeded part of the bench `calibration`: verdicts are right as often as promised where
 * the truth is known.
 */
import { expect, test, vi } from 'vitest'
import { atLeast } from '../../../src/result/statistics/beta.ts'
import type { CellResult, CrewCell } from '../../support/cells/crew-cells.ts'
import { runCell } from '../../support/cells/crew-cells.ts'

const SEED = 7_100

/** Some 15 s of one core in all, on a machine that may be busy. */
vi.setConfig({ testTimeout: 600_000 })

/**
 * So many, or more, of `runs` would come once in a thousand tests if each came with this chance.
 */
const exceeds = (count: number, runs: number, chance: number): boolean =>
  atLeast(count, runs, chance) < 0.001

async function results(cell: CrewCell, runs: number): Promise<CellResult> {
  const result = await runCell(cell, runs, SEED)
  expect(result.runs).toBe(runs)
  return result
}

/** Metrics that are met, or missed, more often than 2.5 % allows. */
function tooSure({ statuses, runs }: CellResult, metrics: readonly string[]): string[] {
  return metrics.filter((metric) => {
    const { met, missed } = statuses.get(metric)!
    return exceeds(met, runs, 0.025) || exceeds(missed, runs, 0.025)
  })
}

test('with the truth at the bound nothing is decided, where nobody waits', async () => {
  const truth = { slow: 0.05, lateKickoff: 0.05, failed: 0.05 }
  const metrics = ['execution.p95', 'kickoff.response.p95', 'execution.failed']
  expect(tooSure(await results({ executions: 300, truth }, 60), metrics)).toEqual([])
})

test('nor where executions wait for 4 workers at a load of 0.67, and those beyond the bound are stuck', async () => {
  const cell = {
    executions: 300,
    workers: { count: 4, load: 0.67 },
    stuck: true,
    truth: { slow: 0.05, failed: 0.05 },
  }
  const metrics = ['execution.p95', 'outcome.unserved', 'execution.failed']
  expect(tooSure(await results(cell, 60), metrics)).toEqual([])
})

test('a crew well inside its bounds passes', async () => {
  const truth = { slow: 0.01, lateKickoff: 0.01, failed: 0.01 }
  const { outcomes, runs } = await results({ executions: 700, truth }, 30)
  expect(exceeds(runs - outcomes.passed, runs, 0.05)).toBe(false)
})

test.each([
  ['slow', { slow: 0.15 }],
  ['failing', { failed: 0.15 }],
  ['rejecting', { rejected: 0.15 }],
])('a crew well outside, %s, fails', async (_, truth) => {
  const { outcomes, runs } = await results({ executions: 400, truth }, 15)
  expect(exceeds(runs - outcomes.failed, runs, 0.05)).toBe(false)
})

test('a good crew that is cut short, or was not offered its load, never passes', async () => {
  const truth = { slow: 0.01, failed: 0.01 }
  const cut = await results({ executions: 600, cutAt: 0.5, truth }, 15)
  expect(cut.outcomes).toMatchObject({ passed: 0, failed: 0 })
  const dropping = await results({ executions: 400, dropped: 0.08, truth }, 15)
  expect(dropping.outcomes).toMatchObject({ passed: 0, failed: 0 })
})

test('a good crew is not stopped early, and a bad one before it has cost much', async () => {
  const good = { executions: 500, abortEarly: true, truth: { slow: 0.02, failed: 0.02 } }
  expect((await results(good, 15)).stopped).toBe(0)
  const bad = { executions: 500, abortEarly: true, truth: { failed: 0.4 } }
  const { stopped, saved } = await results(bad, 5)
  expect(stopped).toBe(5)
  expect(saved).toBeGreaterThan(0.6)
  expect(saved).toBeLessThan(0.9)
})
