/** Traces of ended executions: their ids, their share, and what they hold. */
import { describe, expect, test } from 'vitest'
import type { ExecutionRecord } from '../../../src/execution/record/record.ts'
import { openTelemetry } from '../../../src/host/telemetry/open.ts'
import { isSampled, spanIdOf, traceIdOf } from '../../../src/host/telemetry/trace-context.ts'
import { executionRecord, runLine } from '../../result/lines.ts'
import type { Collector } from '../../support/metrics/otlp.ts'
import { collector } from '../../support/metrics/otlp.ts'
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

const RUN = { target: 'http://127.0.0.1:1', runId: 'run-1', version: '9' }

function isRoot({ parentSpanId }: Collector['spans'][number]): boolean {
  return parentSpanId === ''
}

/** What a collector received of an execution, in the order in which its spans ended. */
async function traceOf(record: ExecutionRecord) {
  await using received = await collector()
  const telemetry = await openTelemetry(RUN, { otlp: received.url, otlpTraces: 1 })
  telemetry!.saw(runLine())
  telemetry!.saw({ type: 'ended', record })
  expect(await telemetry!.close()).toEqual([])
  return {
    execution: received.spans.find(isRoot)!,
    requests: received.spans.filter((span) => !isRoot(span)),
  }
}

describe('a trace', () => {
  test('is none of an arrival that was never sent', async () => {
    const trace = await traceOf({ ...executionRecord(0), outcome: 'dropped' })
    expect(trace).toEqual({ execution: undefined, requests: [] })
  })

  test('has the first and the last polls of a long execution, and tells how many it omits', async () => {
    const record = executionRecord(0, { pollMicros: 5_000 })
    const polls = record.polls.answer.length
    expect(polls).toBeGreaterThan(200)
    const { requests, execution } = await traceOf(record)
    expect(requests).toHaveLength(201)
    expect(execution.attributes['crewload.polls_omitted']).toBe(polls - 200)
    expect(requests.at(-1)!.end).toBe(runLine().anchorUnixMs * 1_000 + record.endedMicros)
  })

  test('tells why requests and executions failed, and cites a target briefly', async () => {
    const record = executionRecord(0)
    const answer = record.polls.answer.map((each, i) =>
      i === 0 ? 503 : i === 1 ? 'timeout' : each,
    )
    const text = 'x'.repeat(10_000)
    const reason = crewSaid(text)
    const tags = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`t${i}`, text]))
    const polls = { ...record.polls, answer }
    const failed = { ...record, outcome: 'failed', reason, kickoffId: text, tags, polls } as const
    const { requests, execution } = await traceOf(failed)
    const [, overloaded, late, fine] = requests
    expect(overloaded).toMatchObject({ status: 'HTTP 503', attributes: { 'error.type': '503' } })
    expect(late).toMatchObject({ status: 'timeout', attributes: { 'error.type': 'timeout' } })
    expect(late!.attributes).not.toHaveProperty(['http.response.status_code'])
    expect(fine!.status).toBe('')
    expect(execution.status).not.toBe('')
    expect(JSON.stringify(execution).length).toBeLessThan(6_000)
  })

  test('has a request that was never sent for the time that it waited', async () => {
    const record = executionRecord(0)
    const { kickoff } = record
    const unsent = {
      ...kickoff,
      serviceMicros: [-1],
      waitMicros: [400],
      answer: ['refused' as const],
    }
    const trace = await traceOf({ ...record, outcome: 'rejected', kickoff: unsent })
    const [span] = trace.requests
    expect(span!.end - span!.start).toBe(400)
  })
})
