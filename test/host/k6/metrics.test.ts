/** What k6's named metrics are told of a record: the same that the result of the run says of it. */
import { expect, test } from 'vitest'
import type { Outcome } from '../../../src/execution/record/record.ts'
import { K6_METRICS } from '../../../src/host/k6/metrics.ts'
import { executionMetrics } from '../../../src/host/k6/samples.ts'
import { executionRecord } from '../../result/lines.ts'

interface Sample {
  metric: string
  value: number
  tags: Readonly<Record<string, string>>
}

function samplesOf(changes: Partial<ReturnType<typeof executionRecord>>): Sample[] {
  const samples: Sample[] = []
  const take = executionMetrics((metric, value, tags) => samples.push({ metric, value, tags }))
  take({ ...executionRecord(0), ...changes })
  return samples
}

function valuesOf(samples: readonly Sample[], name: string): number[] {
  return samples.flatMap(({ metric, value }) => (metric === name ? [value] : []))
}

test('the names are such as k6 takes', () => {
  for (const name of Object.keys(K6_METRICS)) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_]{0,127}$/)
})

test('the times of an execution, in milliseconds, with its tags', () => {
  const record = executionRecord(0)
  const samples = samplesOf({})
  const only = (metric: string) => samples.filter((sample) => sample.metric === metric)
  expect(only('crewload_kickoff_response_duration')).toEqual([
    {
      metric: 'crewload_kickoff_response_duration',
      value: 3,
      tags: { topic: 'ai' },
    },
  ])
  expect(only('crewload_execution_duration')).toEqual([
    {
      metric: 'crewload_execution_duration',
      value: record.endedMicros / 1_000,
      tags: { topic: 'ai', outcome: 'completed' },
    },
  ])
  const delayMicros = record.firstDoneReceivedMicros! - record.lastNotDoneSentMicros!
  expect(valuesOf(samples, 'crewload_detection_delay')).toEqual([delayMicros / 1_000])
  const { lateMicros, waitMicros, serviceMicros } = record.polls
  expect(valuesOf(samples, 'crewload_status_response_duration')).toEqual(
    lateMicros.map((late, i) => (late + waitMicros[i]! + serviceMicros[i]!) / 1_000),
  )
})

test('every request counts by its answer; response times are those of answers that can be used', () => {
  const { polls } = executionRecord(0)
  const answer = polls.answer.map((code, i) => (i === 0 ? 503 : i === 1 ? 'timeout' : code))
  const samples = samplesOf({ polls: { ...polls, answer } })
  const answers = samples.flatMap(({ metric, tags }) =>
    metric === 'crewload_requests' ? [`${tags['operation']} ${tags['answer']}`] : [],
  )
  expect(answers).toEqual(['kickoff 200', ...answer.map((each) => `status ${each}`)])
  expect(valuesOf(samples, 'crewload_status_response_duration')).toHaveLength(answer.length - 2)
})

test.each<[Outcome, number[], number[]]>([
  ['completed', [0], [0]],
  ['failed', [0], [1]],
  ['rejected', [1], []],
  ['unknown', [1], []],
  ['lost', [1], []],
  ['stuck', [1], []],
  ['unreadable', [1], []],
  ['dropped', [], []],
  ['notReached', [], []],
  ['aborted', [], []],
])('%s counts as unserved %j and as failed %j', (outcome, unserved, failed) => {
  const samples = samplesOf({ outcome })
  expect(samples.find(({ metric }) => metric === 'crewload_outcomes')).toEqual({
    metric: 'crewload_outcomes',
    value: 1,
    tags: { topic: 'ai', outcome },
  })
  expect(valuesOf(samples, 'crewload_unserved')).toEqual(unserved)
  expect(valuesOf(samples, 'crewload_failed')).toEqual(failed)
})

test('checks that threw are mistakes of the scenario, and no failed checks', () => {
  const samples = samplesOf({ checks: { good: true, bad: false, broken: 'TypeError: no' } })
  expect(samples.filter(({ metric }) => metric === 'checks')).toEqual([
    { metric: 'checks', value: 1, tags: { topic: 'ai', check: 'good' } },
    { metric: 'checks', value: 0, tags: { topic: 'ai', check: 'bad' } },
  ])
})

test('an arrival of the warm-up adds nothing', () => {
  expect(samplesOf({ warmUp: true })).toEqual([])
})
