/** Faults of HTTP, and what each must end in. */
import type { Outcome } from '../../../src/execution/record.ts'
import { EXECUTIONS } from './support.ts'

export interface HttpCase {
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
): [string, HttpCase] => [fault, { fault, outcome, error, rule, started }]

export const ON_KICKOFF = [
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
  row('denied: {}', 'rejected', '401', null, 0),
]

export const ON_STATUS = [
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
  row('closeIdle: { after: 0s }', 'completed', 'closed'),
  row('denied: { why: expired }', 'unreadable', '401'),
]
