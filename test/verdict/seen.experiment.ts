/** Runs of which the verdict once said something that was not true: a row each, with its seed. */
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../src/result/document.ts'
import type { VirtualRun } from '../support/virtual-run.ts'
import { virtualRun } from '../support/virtual-run.ts'
import { loadWords } from '../../src/report/run/load-sentence.ts'

/** Kickoffs that are answered with an id of which nothing is ever known. */
function losing(chance: string): string {
  return `{ name: loses, neverStarts: {}, chance: ${chance} }`
}

function statusOf({ thresholds }: ResultDocument, metric: string): string | undefined {
  return thresholds.find((each) => each.metric === metric)?.status
}

async function outcomesBySeed(seeds: number, options: VirtualRun): Promise<string[]> {
  const outcomes: string[] = []
  for (let seed = 1; seed <= seeds; seed++) {
    outcomes.push((await virtualRun({ ...options, seed })).verdict.outcome)
  }
  return outcomes
}

describe('who was not served', () => {
  test('is counted where a scenario mentions only those who were', async () => {
    const document = await virtualRun({
      scenario: { thresholds: { 'kickoff.response.p95': '< 1s', 'execution.failed': '< 10%' } },
      faults: losing('38%'),
      seed: 1,
    })
    expect(document.verdict.outcome).toBe('failed')
    expect(statusOf(document, 'outcome.unserved')).toBe('missed')
    expect(document.outcomes.lost).toBeGreaterThan(0)
  })

  test('is counted where kickoffs are refused', async () => {
    const document = await virtualRun({
      faults: '{ name: refuses, status: { code: 400 }, operations: [kickoff], chance: 90% }',
      seed: 2,
    })
    expect(document.verdict.outcome).toBe('failed')
  })

  test('waited for ever: a p95 of which two in five never saw the end does not exist', async () => {
    const document = await virtualRun({
      scenario: { thresholds: { 'execution.p95': '< 60s' } },
      faults: losing('40%'),
      seed: 3,
    })
    expect(document.verdict.outcome).toBe('failed')
    expect(document.metrics['execution.p95']).toMatchObject({ value: 'never', high: 'never' })
    expect(document.metrics['execution.p95']!.never).toBe(document.outcomes.lost)
    const { reasons } = document.verdict
    expect(reasons[0]?.message).toContain('execution.p95 is never')
    expect(loadWords(document)).not.toContain('longest')
  })

  test('may be all but one', async () => {
    const document = await virtualRun({
      scenario: { arrivals: { rate: '1/s', for: '1m' }, thresholds: { 'execution.p95': '< 60s' } },
      faults: '{ name: loses, neverStarts: {}, chance: 98.5% }',
      seed: 4,
    })
    expect(document.outcomes.completed).toBeLessThan(4)
    expect(document.verdict.outcome).toBe('failed')
    expect(document.metrics['execution.p95']!.value).toBe('never')
  })

  test('never learned of an end: executions that could not be read to the deadline', async () => {
    const document = await virtualRun({
      crew: 'tasks: [{ id: work, agent: Worker, duration: 10s, output: 100B }]\ncapacity: { workers: unlimited }',
      faults: '{ name: unreadable, malformed: {}, operations: [status], window: { from: 100s } }',
      seed: 5,
    })
    expect(document.outcomes.unreadable).toBeGreaterThan(20)
    expect(document.metrics['detectionDelay.p95']!.value).toBe('never')
    expect(document.verdict.outcome).not.toBe('passed')
  })
})

test('a target that died is no success of those that it served before', async () => {
  const document = await virtualRun({
    scenario: {
      arrivals: { rate: '5/s', for: '20s' },
      deadline: '5s',
      circuit: 'off',
      thresholds: { 'execution.failed': '< 5%' },
    },
    faults: '{ name: killed, restart: { loses: all }, window: { from: 15s, for: 1h } }',
    seed: 6,
  })
  expect(document.verdict.outcome).toBe('failed')
  expect(statusOf(document, 'target.alive')).toBe('missed')
})

test('the response of a kickoff is what its user waited for, refusals and pauses within', async () => {
  const document = await virtualRun({
    crew: `
tasks: [{ id: work, agent: Worker, duration: 1s, output: 100B }]
capacity: { workers: unlimited }
http: { latency: { kickoff: 400ms } }
limits:
  rules:
    - { name: kickoffs, operations: [kickoff], tokenBucket: { rate: 1/2s, capacity: 1 } }
`,
    scenario: {
      arrivals: { rate: '1/4s', for: '8m', process: { gamma: { cv: 3 } } },
      retry: { kickoff: 20, budget: { ratio: '100%', minimum: 1000 } },
      deadline: '10m',
    },
    seed: 8,
  })
  const { metrics } = document
  expect(metrics['kickoff.refused.p50']!.n).toBeGreaterThan(50)
  expect(metrics['kickoff.attempt.p50']!.value).toBeGreaterThan(399)
  expect(metrics['kickoff.response.p50']!.value).toBeGreaterThan(399)
  expect(metrics['kickoff.response.p95']!.value).toBeGreaterThan(2_000)
})

describe('what an interval cannot decide', () => {
  test('is not decided by no failure in five', async () => {
    const document = await virtualRun({
      scenario: {
        arrivals: { rate: '1/s', for: '5s' },
        thresholds: { 'execution.failed': '< 1%' },
      },
      seed: 10,
    })
    expect(document.verdict.outcome).toBe('inconclusive')
    expect(document.thresholds[0]).toMatchObject({ status: 'undecided', more: 363 })
  })

  test('is not decided by chance: p95 of 225 s against a bound of 215 s', async () => {
    // ln(225 / 60) / 1.6449 = 0.8036: the profile's p95 makes the p95 of an execution, but for its
    // polls.
    const outcomes = await outcomesBySeed(12, {
      crew: 'tasks: [{ id: work, agent: Worker, duration: { lognormal: { median: 60s, p95: 225s } }, output: 100B }]\ncapacity: { workers: unlimited }',
      scenario: {
        arrivals: { rate: '1/10s', for: '50m', process: 'poisson' },
        polling: { fixed: '5s' },
        deadline: '2h',
        thresholds: { 'execution.p95': '< 215s' },
      },
    })
    expect(outcomes.filter((outcome) => outcome === 'passed').length).toBeLessThanOrEqual(1)
    expect(outcomes.filter((outcome) => outcome === 'inconclusive').length).toBeGreaterThan(6)
  })
})

test('abortEarly stops no good crew', async () => {
  const outcomes = await outcomesBySeed(20, {
    crew: `
tasks:
  - { id: work, agent: Worker, duration: 1s, output: 100B, failure: { chance: 2%, message: no } }
capacity: { workers: unlimited }
`,
    scenario: {
      arrivals: { rate: '1/s', for: '400s', process: 'poisson' },
      polling: { fixed: '2s' },
      thresholds: { 'execution.failed': { is: '< 5%', abortEarly: true } },
    },
  })
  expect(outcomes).not.toContain('failed')
  expect(outcomes.filter((outcome) => outcome === 'passed').length).toBeGreaterThan(12)
})

test('abortEarly stops a crew that is certain to miss', async () => {
  const document = await virtualRun({
    crew: `
tasks:
  - { id: work, agent: Worker, duration: 1s, output: 100B, failure: { chance: 20%, message: no } }
capacity: { workers: unlimited }
`,
    scenario: {
      arrivals: { rate: '1/s', for: '1000s' },
      thresholds: { 'execution.failed': { is: '< 5%', abortEarly: true } },
    },
    seed: 11,
  })
  expect(document.verdict.outcome).toBe('failed')
  const saved = document.outcomes.notReached / document.arrivals
  expect(saved).toBeGreaterThan(0.55)
  expect(saved).toBeLessThan(0.8)
})

test('abortEarly does not stop for one short outage, which an interval cannot prove a miss', async () => {
  const document = await virtualRun({
    scenario: {
      arrivals: { rate: '1/s', for: '1000s' },
      thresholds: { 'outcome.unserved': { is: '< 5%', abortEarly: true } },
    },
    faults:
      '{ name: outage, status: { code: 400 }, operations: [kickoff], window: { from: 300s, ' +
      'for: 75s } }',
    seed: 11,
  })
  expect(document.outcomes).toMatchObject({ rejected: 75, notReached: 0 })
  expect(document.verdict.outcome).toBe('inconclusive')
})

describe('throughput', () => {
  test('of one arrival is one in its time', async () => {
    const document = await virtualRun({
      scenario: { arrivals: { rate: '1/m', for: '1m' } },
      seed: 12,
    })
    expect(document.metrics['throughput.accepted']!.value).toBeCloseTo(1 / 60, 6)
  })

  test('is not diluted by one stuck execution', async () => {
    const document = await virtualRun({
      scenario: { arrivals: { rate: '1/s', for: '10m' }, deadline: '5h' },
      faults: '{ name: stuck, stuck: {}, operations: [kickoff], first: 1 }',
      seed: 13,
    })
    expect(document.outcomes.stuck).toBe(1)
    expect(document.metrics['throughput.completed']!.value).toBeGreaterThan(0.95)
  })

  test('is not known where a number of iterations ends the run', async () => {
    const document = await virtualRun({
      scenario: { arrivals: { clients: 1, iterations: 3 } },
      seed: 14,
    })
    expect(document.metrics['throughput.completed']!.value).toBeNull()
  })
})

test('one 404 in the middle of an execution costs it nothing', async () => {
  const document = await virtualRun({
    faults: '{ name: blink, status: { code: 404 }, operations: [status], chance: 10% }',
    seed: 15,
  })
  expect(document.outcomes).toMatchObject({ lost: 0, completed: document.arrivals })
  expect(document.verdict.outcome).toBe('passed')
})

test('a crew that keeps every promise passes', async () => {
  const document = await virtualRun({
    // In two minutes the effective size of 120 arrivals is, by chance, too small in every third
    // run.
    scenario: {
      arrivals: { rate: '1/s', for: '4m' },
      thresholds: { 'execution.p95': '< 5s', 'kickoff.response.p95': '< 1s' },
    },
    seed: 16,
  })
  expect(document.verdict).toMatchObject({ outcome: 'passed', problems: 0 })
})
