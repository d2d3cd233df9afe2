/** How many executions run at once, from runs of ordinary load. */
import { describe, expect, test } from 'vitest'
import type { Random } from '../../../../src/base/random.ts'
import { learnCrew } from '../../../../src/study/twin/analyse/learn/learn.ts'
import type { SeenRun } from '../../../../src/study/twin/analyse/seen.ts'
import { runOf } from '../crews.ts'
import { areExperimentsRun } from '../../../experiments.ts'

const SERVICES = {
  lognormal: (random: Random) => 60 * Math.exp(0.7 * random.normal()),
  'nearly constant': (random: Random) => 60 + 3 * random.normal(),
}
const TRUTHS: readonly SeenRun['truth'][] = ['ledger', 'reported', 'polls']

const workersOf = (run: SeenRun) => learnCrew([run], []).workers

/** All with the experiments, and the first one always. */
const TRIED = Object.entries(SERVICES).slice(0, areExperimentsRun ? 2 : 1)

describe.each(TRIED)('%s services', (_, service) => {
  test.each(TRUTHS)('of 8 workers at a load of about 0.95 are counted by %s', (truth) => {
    const run = runOf({ workers: 8, service, perMinute: 7.4, executions: 300, truth })
    const { low, high, value, waited } = workersOf(run)
    expect(high).not.toBeNull()
    expect(low).toBeLessThanOrEqual(8)
    expect(high).toBeGreaterThanOrEqual(8)
    expect(waited).toBeGreaterThan(30)
    // Polls alone leave it within a few.
    expect(high! - low).toBeLessThanOrEqual(truth === 'polls' ? 4 : 0)
    expect(Math.abs(value - 8)).toBeLessThanOrEqual(truth === 'polls' ? 2 : 0)
  })

  test.each(TRUTHS)('of 40 workers that were never full are "at least" so many, by %s', (truth) => {
    const run = runOf({ workers: 40, service, perMinute: 8, executions: 300, truth })
    const { workers, fillingPerMinute, runs } = learnCrew([run], [])
    expect(workers.high).toBeNull()
    expect(workers.value).toBeLessThanOrEqual(40)
    expect(fillingPerMinute).toBeGreaterThan(workers.low / 2)
    expect(runs).toHaveLength(1)
  })
})

test('polls 15 s apart still count 8 workers when the crew reports its times', () => {
  const run = runOf({
    workers: 8,
    service: SERVICES.lognormal,
    perMinute: 7.4,
    executions: 300,
    truth: 'reported',
    every: 15,
  })
  const { low, high } = workersOf(run)
  expect(low).toBeLessThanOrEqual(8)
  expect(high).toBeGreaterThanOrEqual(8)
  expect(high! - low).toBeLessThanOrEqual(1)
})

test('two runs count together: a calm one does not hide that the other was full', () => {
  const base = {
    workers: 8,
    service: SERVICES.lognormal,
    executions: 150,
    truth: 'ledger',
  } as const
  const runs = [runOf({ ...base, perMinute: 2 }), runOf({ ...base, perMinute: 9, seed: 2 })]
  expect(learnCrew(runs, []).workers).toMatchObject({ low: 8, high: 8 })
})

test('service times are those behind the wait, where nothing tells when executions begin', () => {
  const run = runOf({
    workers: 4,
    service: SERVICES['nearly constant'],
    perMinute: 3.9,
    executions: 300,
    truth: 'polls',
  })
  const [task] = learnCrew([run], []).tasks
  const stays = run.executions.map(({ known, accepted }) => known! - accepted!)
  const median = stays.toSorted((a, b) => a - b)[150]!
  expect(median).toBeGreaterThan(75e6)
  expect(task!.name).toBe('execution')
  expect(task!.fit!.p50.fitted / 60e6).toBeGreaterThan(0.95)
  expect(task!.fit!.p50.fitted / 60e6).toBeLessThan(1.05)
})
