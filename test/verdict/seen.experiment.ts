/** Runs of which the verdict once said something that was not true: a row each, with its seed. */
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../src/result/document.ts'
import { virtualRun } from '../support/virtual-run.ts'
import { loadWords } from '../../src/report/run/load-sentence.ts'

/** Kickoffs that are answered with an id of which nothing is ever known. */
function losing(chance: string): string {
  return `{ name: loses, neverStarts: {}, chance: ${chance} }`
}

function statusOf({ thresholds }: ResultDocument, metric: string): string | undefined {
  return thresholds.find((each) => each.metric === metric)?.status
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
