/** What is said before a run that is too short for its thresholds. */
import { expect, test } from 'vitest'
import { planNotes, samplesNeeded } from '../../src/scenario/notes.ts'
import { planScenario } from '../../src/scenario/schema/index.ts'

const notes = (arrivals: unknown, metric: string) =>
  planNotes(
    planScenario(
      { name: 'short', arrivals, inputs: {}, thresholds: { [metric]: '< 5m' } },
      { source: 'test' },
    ),
  )

test.each([
  [0.5, 6],
  [0.9, 29],
  [0.95, 59],
  [0.99, 299],
  [0.999, 2_995],
  [0.05, 59],
])('the %f quantile needs %i samples', (q, n) => {
  expect(samplesNeeded(q)).toBe(n)
})

test('too few executions for a quantile are told, with both numbers', () => {
  expect(notes({ rate: '1/s', for: '2m', warmUp: '20s' }, 'execution.p99')).toEqual([
    'execution.p99 needs 299 executions for a 95 % interval and this run has about 100: expect "too few", or run longer',
  ])
})

test('enough are not told', () => {
  expect(notes({ rate: '1/s', for: '5m' }, 'execution.p99')).toEqual([])
})

test('polls are many: nothing is said of their quantiles', () => {
  expect(notes({ rate: '1/s', for: '2m' }, 'status.response.p99')).toEqual([])
})

test('iterations of closed clients count', () => {
  expect(notes({ clients: 2, iterations: 10 }, 'kickoff.response.p95')).toHaveLength(1)
  expect(notes({ clients: 2, for: '1m' }, 'kickoff.response.p95')).toEqual([])
})
