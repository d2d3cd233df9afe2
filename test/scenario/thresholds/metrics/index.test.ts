/** The grammar of metric names: what is in it, what is not, and what is near. */
import { expect, test } from 'vitest'
import { OPERATIONS } from '../../../../src/crew/answer.ts'
import {
  familyOf,
  METRIC_FAMILIES,
  nearestMetrics,
  parseMetric,
} from '../../../../src/scenario/thresholds/metrics.ts'

const p95 = { kind: 'quantile', q: 0.95 }

test.each([
  ['kickoff.response.p95', { kind: 'kickoffResponse', statistic: p95 }],
  [
    'status.response.p95',
    { kind: 'request', operation: 'status', which: 'response', statistic: p95 },
  ],
  [
    'kickoff.service.p95',
    { kind: 'request', operation: 'kickoff', which: 'service', statistic: p95 },
  ],
  [
    'status.service.max',
    { kind: 'request', operation: 'status', which: 'service', statistic: { kind: 'max' } },
  ],
  [
    'inputs.socketWait.mean',
    { kind: 'request', operation: 'inputs', which: 'socketWait', statistic: { kind: 'mean' } },
  ],
  ['status.error', { kind: 'requestError', operation: 'status' }],
  ['lateness.p99.9', { kind: 'lateness', statistic: { kind: 'quantile', q: 0.999 } }],
  ['execution.p95', { kind: 'execution', statistic: p95 }],
  ['execution.completed.min', { kind: 'completedExecution', statistic: { kind: 'min' } }],
  ['execution.failed', { kind: 'failedShare' }],
  ['detectionDelay.p5', { kind: 'detectionDelay', statistic: { kind: 'quantile', q: 0.05 } }],
  ['outcome.stuck', { kind: 'outcome', outcome: 'stuck' }],
  ['checks.mentions v1.2', { kind: 'check', name: 'mentions v1.2' }],
  ['checks.on\ntwo.lines', { kind: 'check', name: 'on\ntwo.lines' }],
  ['contract.violations', { kind: 'contract', which: 'violations' }],
  ['contract.documented', { kind: 'contract', which: 'documented' }],
  ['polls.perExecution', { kind: 'polls', which: 'perExecution' }],
  ['polls.wasted', { kind: 'polls', which: 'wasted' }],
  ['polls.wastedShare', { kind: 'wastedShare' }],
  ['connections.handshakeShare', { kind: 'handshakeShare' }],
  ['throughput.accepted', { kind: 'throughput', which: 'accepted' }],
  ['throughput.completed', { kind: 'throughput', which: 'completed' }],
  ['retries.ratio', { kind: 'retryRatio' }],
  ['inFlight.max', { kind: 'maxInFlight' }],
])('%s is read', (name, reference) => {
  expect(parseMetric(name)).toEqual(reference)
})

test.each([
  '',
  'p95',
  'kickoff',
  'kickoff.response',
  'kickoff.response.p0',
  'kickoff.response.p100',
  'kickoff.response.95',
  'kickoff.latency.p95',
  'kickoff.response.p95.p99',
  'status-error',
  'execution.completed',
  'execution.p',
  'outcome.done',
  'checks.',
  'polls',
  'toString',
])('%j is not in the grammar', (name) => {
  expect(parseMetric(name)).toBeUndefined()
})

test('a quantile is exact, however it is written', () => {
  for (const [text, q] of [
    ['p50', 0.5],
    ['p99.9', 0.999],
    ['p99.99', 0.9999],
    ['p7', 0.07],
  ] as const) {
    expect(parseMetric(`lateness.${text}`)).toMatchObject({ statistic: { q } })
  }
})

test('every kind of reference has one family, with a pattern, a unit and a meaning', () => {
  const kinds = METRIC_FAMILIES.map(({ kind }) => kind)
  expect(new Set(kinds).size).toBe(kinds.length)
  for (const { pattern, meaning, each = {}, hint } of METRIC_FAMILIES) {
    expect(pattern).not.toBe('')
    for (const text of [meaning, ...Object.values(each)]) expect(text).toMatch(/^[A-Z1].*\.$/s)
    for (const word of Object.keys(each)) expect(pattern).toMatch(new RegExp(`[<|]${word}[|>]`))
    expect(hint).toMatch(/^[a-z].*[^.]$/)
  }
})

test('the family tells the unit, and whether a time-lapse changes it', () => {
  expect(familyOf(parseMetric('execution.p95')!)).toMatchObject({ unit: 'micros', time: 'crew' })
  expect(familyOf(parseMetric('kickoff.response.p95')!)).toMatchObject({
    unit: 'micros',
    time: 'real',
  })
  expect(familyOf(parseMetric('outcome.lost')!)).toMatchObject({ unit: 'share' })
})

test('a slip of the keyboard finds its name, nearest first', () => {
  expect(nearestMetrics('kickoff.respnse.p95')[0]).toBe('kickoff.response.p95')
  expect(nearestMetrics('detectiondelay.p95')[0]).toBe('detectionDelay.p95')
  expect(nearestMetrics('outcome.complete')[0]).toBe('outcome.completed')
  expect(nearestMetrics('contract.violation', 1)).toEqual(['contract.violations'])
})

test('nothing is near to nonsense', () => {
  expect(nearestMetrics('zzzzzzzzzzzzzzzzzzzz')).toEqual([])
})

test('every name that is suggested is in the grammar', () => {
  const suggested = OPERATIONS.flatMap((operation) => nearestMetrics(`${operation}.response`, 50))
  expect(suggested.length).toBeGreaterThan(20)
  expect(suggested.filter((name) => parseMetric(name) === undefined)).toEqual([])
})
