/** What the metrics of a running run are told by its lines and its answers. */
import { describe, expect, test } from 'vitest'
import { answerLabel, statusLabel, LiveTelemetry } from '../../../src/host/telemetry/live.ts'
import type { Labels, TelemetryName } from '../../../src/host/telemetry/metrics.ts'
import {
  k6Name,
  LABELS,
  prometheusName,
  TELEMETRY,
  TELEMETRY_METRICS,
} from '../../../src/host/telemetry/metrics.ts'
import type { Answer } from '../../../src/crew/answer.ts'
import type { RunLine } from '../../../src/execution/record/journal-lines.ts'
import { executionRecord, runLine } from '../../result/lines.ts'
import { crewSaid } from '../../support/reasons.ts'

interface Sample {
  metric: TelemetryName
  value: number
  labels: Labels
}

function telemetry(engine: RunLine['engine'] = 'node', target = 'https://crew.example.com/v1') {
  const samples: Sample[] = []
  const live = new LiveTelemetry(target, (metric, value, labels) =>
    samples.push({ metric, value, labels }),
  )
  live.saw({ ...runLine(), engine })
  const of = (name: TelemetryName) => samples.filter(({ metric }) => metric === name)
  const sum = (name: TelemetryName) => of(name).reduce((total, { value }) => total + value, 0)
  return { live, of, sum, samples }
}

const timing = { releasedMicros: 100, sentMicros: 250, doneMicros: 1_250, newConnection: false }

function answered(status: number): Answer {
  return { kind: 'answer', status, headers: {}, body: '', timing }
}

describe('requests', () => {
  test('are named by the conventions for HTTP, with host and port of the target alone', () => {
    const { live, of } = telemetry('node', 'https://user:secret@crew.example.com/v1?token=t')
    live.answered('status', answered(200))
    expect(of('http.client.request.duration')).toEqual([
      {
        metric: 'http.client.request.duration',
        value: 1_000,
        labels: {
          'http.request.method': 'GET',
          'url.template': '/status/{kickoff_id}',
          'server.address': 'crew.example.com',
          'server.port': 443,
          'http.response.status_code': 200,
        },
      },
    ])
  })

  test('that failed have a class; those that were never sent count from their release', () => {
    const { live, of } = telemetry('node', 'http://[::1]:8080')
    const unsent = { ...timing, sentMicros: null }
    const failure = { kind: 'failure', class: 'refused', detail: '', written: false, status: null }
    live.answered('kickoff', { ...failure, timing: unsent } as Answer)
    live.answered('kickoff', answered(429))
    const [refused, limited] = of('http.client.request.duration')
    expect(refused).toMatchObject({ value: 1_150, labels: { 'error.type': 'refused' } })
    expect(refused!.labels).not.toHaveProperty(['http.response.status_code'])
    expect(refused!.labels['server.address']).toBe('::1')
    expect(limited!.labels).toMatchObject({
      'http.response.status_code': 429,
      'error.type': '429',
      'http.request.method': 'POST',
    })
  })

  test('of k6 come from the records, as no answer is heard of', () => {
    const record = executionRecord(0)
    const { live, of } = telemetry('k6')
    live.saw({ type: 'ended', record })
    const requests = record.kickoff.answer.length + record.polls.answer.length
    expect(of('http.client.request.duration')).toHaveLength(requests)
    const node = telemetry('node')
    node.live.saw({ type: 'ended', record })
    expect(node.of('http.client.request.duration')).toEqual([])
  })
})

describe('executions', () => {
  test('in flight come and go, whichever instance tells of them', () => {
    const { live, sum } = telemetry()
    for (const [index, instance] of [
      [0, 0],
      [1, 1],
    ] as const) {
      const { kickoff } = executionRecord(index)
      const at = { index, instance, atMicros: 0 }
      live.saw({ type: 'started', intendedMicros: 0, ...at })
      live.saw({ type: 'accepted', kickoffId: `id-${index}`, kickoff, ...at })
    }
    expect(sum('crewload.executions.started')).toBe(2)
    expect(sum('crewload.executions.in_flight')).toBe(2)
    live.saw({ type: 'ended', record: executionRecord(1) })
    expect(sum('crewload.executions.in_flight')).toBe(1)
  })

  test('that were never accepted leave nothing in flight', () => {
    const { live, sum } = telemetry()
    live.saw({ type: 'ended', record: { ...executionRecord(0), outcome: 'rejected' } })
    expect(sum('crewload.executions.in_flight')).toBe(0)
    expect(sum('crewload.outcomes')).toBe(1)
  })

  test('of the warm-up add to requests and lateness, and to nothing that is measured', () => {
    const { live, samples } = telemetry('k6')
    live.saw({ type: 'ended', record: { ...executionRecord(0), warmUp: true } })
    const names = new Set(samples.map(({ metric }) => metric))
    expect([...names].sort()).toEqual([
      'crewload.lateness',
      'crewload.run.info',
      'http.client.request.duration',
    ])
  })

  test('tell of checks, broken rules and polls that saw no change', () => {
    const { live, of, sum } = telemetry()
    const violation = { rule: 'output-shape', detail: '', operation: 'status', atMicros: 0 }
    const checks = { good: true, bad: false, broken: 'TypeError: no' }
    const record = { ...executionRecord(0), checks, violations: [violation as never] }
    live.saw({ type: 'ended', record })
    expect(of('crewload.checks').map(({ labels }) => labels)).toEqual([
      { check: 'good', result: 'passed' },
      { check: 'bad', result: 'failed' },
      { check: 'broken', result: 'error' },
    ])
    expect(of('crewload.violations').map(({ labels }) => labels)).toEqual([
      { rule: 'output-shape' },
    ])
    expect(sum('crewload.polls.wasted')).toBe(record.wastedPolls)
  })

  test('several instances are one run, which is named once', () => {
    const { live, sum } = telemetry()
    live.saw(runLine(1, 2))
    expect(sum('crewload.run.info')).toBe(1)
  })
})

describe('labels', () => {
  test('stay few, whatever a target answers', () => {
    const { live, samples } = telemetry()
    const record = executionRecord(0)
    for (let code = 0; code < 1_000; code++) {
      live.answered('status', answered(code))
      const polls = { ...record.polls, answer: record.polls.answer.map(() => code) }
      const hostile = `x-${code}"}\n`
      const own = { reason: crewSaid(hostile), kickoffId: hostile, tags: { hostile }, polls }
      live.saw({ type: 'ended', record: { ...record, ...own } })
    }
    const sets = new Set(samples.map(({ metric, labels }) => JSON.stringify([metric, labels])))
    expect(sets.size).toBeLessThan(200)
    expect([...sets].join()).not.toContain('x-')
  })

  test.each([
    [200, 200],
    [429, 429],
    [299, 200],
    [477, 400],
    [599, 500],
    [99, 500],
    [600, 500],
    [522, 522],
  ])('the code %i counts as %i', (code, counted) => {
    expect(statusLabel(code)).toBe(counted)
    expect(answerLabel(code)).toBe(String(counted))
  })

  test('each that is used is listed, and is one of its metric', () => {
    const { live, samples } = telemetry()
    live.answered('kickoff', answered(503))
    const checks = { good: true }
    live.saw({ type: 'ended', record: { ...executionRecord(0), checks } })
    for (const { metric, labels } of samples) {
      for (const label of Object.keys(labels)) {
        expect(LABELS).toHaveProperty([label])
        expect(TELEMETRY[metric].labels).toContain(label)
      }
    }
  })
})

test('names carry their unit where a system wants it', () => {
  const named = Object.fromEntries(
    TELEMETRY_METRICS.map(([name, metric]) => [name, prometheusName(name, metric)]),
  )
  expect(named).toMatchObject({
    'http.client.request.duration': 'http_client_request_duration_seconds',
    'crewload.outcomes': 'crewload_outcomes_total',
    'crewload.executions.in_flight': 'crewload_executions_in_flight',
  })
  expect(new Set(Object.values(named)).size).toBe(TELEMETRY_METRICS.length)
  expect(k6Name('crewload.execution.duration')).toBe('crewload_execution_duration')
})
