/** Each fault of HTTP over real sockets and in virtual time: the outcome, the error class, the contract's rule, and what the ledger says of it. */
import { describe, expect, test } from 'vitest'
import type { ResultDocument } from '../../../src/analysis/document.ts'
import type { Outcome } from '../../../src/execution/record.ts'
import { EXECUTIONS, inVirtualTime, overSockets } from './support.ts'

interface Case {
  fault: string
  outcome: Outcome
  /** The class in the errors, or the status code. */
  error: string | null
  rule: string | null
  /** Executions that the crew started. */
  started: number
}

const row = (
  fault: string,
  outcome: Outcome,
  error: string | null,
  rule: string | null = null,
  started = EXECUTIONS,
): [string, Case] => [fault, { fault, outcome, error, rule, started }]

const ON_KICKOFF = [
  row('status: { code: 500 }', 'unknown', '500', null, 0),
  row('status: { code: 503 }', 'rejected', '503', null, 0),
  row('status: { code: 429 }', 'rejected', '429', null, 0),
  row('status: { code: 500, carriedOut: true }', 'unknown', '500'),
  row('reset: { at: before }', 'unknown', 'reset'),
  row('reset: { at: before, carriedOut: false }', 'unknown', 'reset', null, 0),
  row('reset: { at: during }', 'unknown', 'reset'),
  row('reset: { at: after }', 'completed', null),
  row('empty: {}', 'unknown', 'closed'),
  row('empty: { carriedOut: false }', 'unknown', 'closed', null, 0),
  row('truncate: {}', 'unknown', 'truncated'),
  row('malformed: {}', 'unknown', 'not-json', 'kickoff-id-present'),
  row('contentType: text/html', 'completed', null, 'kickoff-content-type-json'),
  row('latency: 20ms', 'completed', null),
  row('latency: 10s', 'unknown', 'timeout'),
  row('drip: { pieces: 4, over: 20ms }', 'completed', null),
  row('drip: { over: 10s }', 'unknown', 'timeout'),
  row('hang: {}', 'unknown', 'timeout'),
  row('hang: { carriedOut: false }', 'unknown', 'timeout', null, 0),
  row('stall: {}', 'unknown', 'timeout'),
]

const ON_STATUS = [
  row('status: { code: 500 }', 'unreadable', '500'),
  row('status: { code: 502, body: "<h1>Bad Gateway</h1>" }', 'unreadable', '502'),
  row('status: { code: 500, body: oops }', 'unreadable', '500', 'error-body-shape'),
  row('status: { code: 418 }', 'unreadable', '418', 'status-code-known'),
  row('reset: { at: before }', 'unreadable', 'reset'),
  row('reset: { at: during }', 'unreadable', 'reset'),
  row('empty: {}', 'unreadable', 'closed'),
  row('truncate: { share: 90% }', 'unreadable', 'truncated'),
  row('malformed: {}', 'unreadable', 'not-json', 'body-is-json'),
  row('contentType: text/plain', 'completed', null, 'content-type-json'),
  row('hang: {}', 'unreadable', 'timeout'),
  row('stall: { share: 0 }', 'unreadable', 'timeout'),
  row('drip: { pieces: 3, over: 15ms }', 'completed', null),
]

/** A client that gives up, but not at once: this machine may be busy. */
const HASTY = {
  kickoff: { changes: { timeouts: { request: '4s', firstCall: '4s' } } },
  status: { changes: { timeouts: { request: '1s', firstCall: '20s' } } },
}

/**
 * Classes and codes, but for what this machine may add: time-outs that the deadline cut short, and a reset that a busy client finds
 * together with data, which libuv then tells as an end of the connection.
 */
function errorsOf(document: ResultDocument, operation: string, wanted: string | null): string[] {
  const errors = document.errors.filter((entry) => entry.operation === operation)
  const added = wanted === 'reset' ? ['timeout', 'truncated'] : ['timeout']
  return errors
    .map((entry) => entry.class)
    .filter((name) => name === wanted || !added.includes(name))
}

const OPERATIONS = [
  ['kickoff', ON_KICKOFF],
  ['status', ON_STATUS],
] as const

describe.concurrent.each(OPERATIONS)('of %s', (operation, cases) => {
  test.each(cases)('%s', async (_, { fault, outcome, error, rule, started }) => {
    const text = `- ${fault}\n  operations: [${operation}]`
    const weather = error === 'timeout' ? HASTY[operation] : {}
    const { document, rows, marks } = await overSockets(text, weather)
    expect(document.outcomes).toMatchObject({ [outcome]: EXECUTIONS })
    expect(errorsOf(document, operation, error)).toEqual(error === null ? [] : [error])
    expect(document.contract.rules.map((entry) => entry.rule)).toEqual(rule === null ? [] : [rule])
    expect(rows).toHaveLength(started)
    expect(document.ledger?.disagreements).toEqual([])
    expect(new Set(marks.map((mark) => mark.operation))).toEqual(new Set([operation]))
    expect(rows.every((entry) => (entry.faults?.length ?? 0) > 0)).toBe(true)
  })
})

describe.each(OPERATIONS)('of %s in virtual time', (operation, cases) => {
  test.each(cases)('%s', async (_, { fault, outcome, error, rule, started }) => {
    const text = `- ${fault}\n  operations: [${operation}]`
    const document = await inVirtualTime(text, HASTY[operation])
    expect(document.outcomes).toMatchObject({ [outcome]: EXECUTIONS })
    expect(errorsOf(document, operation, error)).toEqual(error === null ? [] : [error])
    expect(document.contract.rules.map((entry) => entry.rule)).toEqual(rule === null ? [] : [rule])
    expect(document.ledger).toMatchObject({ rows: started, disagreements: [] })
  })
})
