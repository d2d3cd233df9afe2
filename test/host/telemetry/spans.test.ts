/** Traces of ended executions: their ids, their share, and what they hold. */
import { describe, expect, test } from 'vitest'
import { traceOf } from '../../../src/host/telemetry/otlp.ts'
import { isSampled, spanIdOf, traceIdOf } from '../../../src/host/telemetry/trace-context.ts'
import { executionRecord } from '../../result/lines.ts'
import { crewSaid } from '../../support/reasons.ts'

describe('ids', () => {
  test('have the form of W3C Trace Context, and differ', () => {
    const traces = Array.from({ length: 10_000 }, (_, i) => traceIdOf('0f3a9c11', i))
    const spans = Array.from({ length: 10_000 }, (_, i) => spanIdOf('0f3a9c11', i % 100, i))
    for (const id of traces) expect(id).toMatch(/^[0-9a-f]{32}$/)
    for (const id of spans) expect(id).toMatch(/^[0-9a-f]{16}$/)
    expect(new Set(traces).size).toBe(10_000)
    expect(new Set(spans).size).toBe(10_000)
    expect(traceIdOf('0f3a9c11', 7)).toBe(traceIdOf('0f3a9c11', 7))
    expect(traceIdOf('0f3a9c12', 7)).not.toBe(traceIdOf('0f3a9c11', 7))
  })

  test.each([0, 0.01, 0.05, 0.5, 1])('choose the share %d of all', (share) => {
    const n = 20_000
    const ids = Array.from({ length: n }, (_, i) => traceIdOf('run-1', i))
    const chosen = ids.filter((id) => isSampled(id, share)).length / n
    // Six standard deviations of a fair choice.
    expect(Math.abs(chosen - share)).toBeLessThanOrEqual(6 * Math.sqrt((share * (1 - share)) / n))
  })
})

describe('a trace', () => {
  test('is none of an arrival that was never sent', () => {
    expect(traceOf({ ...executionRecord(0), outcome: 'dropped' })).toBeNull()
  })

  test('has the first and the last polls of a long execution, and tells how many it omits', () => {
    const record = executionRecord(0, { pollMicros: 5_000 })
    const polls = record.polls.answer.length
    expect(polls).toBeGreaterThan(200)
    const { requests, execution } = traceOf(record)!
    expect(requests).toHaveLength(201)
    expect(execution.attributes['crewload.polls_omitted']).toBe(polls - 200)
    expect(requests.at(-1)!.endMicros).toBe(record.endedMicros)
  })

  test('tells why requests and executions failed, and cites a target briefly', () => {
    const record = executionRecord(0)
    const answer = record.polls.answer.map((each, i) =>
      i === 0 ? 503 : i === 1 ? 'timeout' : each,
    )
    const text = 'x'.repeat(10_000)
    const reason = crewSaid(text)
    const tags = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`t${i}`, text]))
    const polls = { ...record.polls, answer }
    const trace = traceOf({ ...record, outcome: 'failed', reason, kickoffId: text, tags, polls })!
    const [, overloaded, late, fine] = trace.requests
    expect(overloaded).toMatchObject({ error: 'HTTP 503', attributes: { 'error.type': '503' } })
    expect(late).toMatchObject({ error: 'timeout', attributes: { 'error.type': 'timeout' } })
    expect(late!.attributes).not.toHaveProperty(['http.response.status_code'])
    expect(fine!.error).toBeNull()
    expect(JSON.stringify(trace.execution).length).toBeLessThan(6_000)
  })

  test('has a request that was never sent for the time that it waited', () => {
    const record = executionRecord(0)
    const { kickoff } = record
    const unsent = {
      ...kickoff,
      serviceMicros: [-1],
      waitMicros: [400],
      answer: ['refused' as const],
    }
    const [span] = traceOf({ ...record, outcome: 'rejected', kickoff: unsent })!.requests
    expect(span!.endMicros - span!.startMicros).toBe(400)
  })
})
