/** The table of outcomes, row by row. */
import { describe, expect, test } from 'vitest'
import {
  advance,
  createExecution,
  createShared,
  TURNED_AWAY,
  unsentRecord,
} from '../../src/execution/machine.ts'
import { mayCost } from '../../src/execution/record/readings.ts'
import { OUTCOMES } from '../../src/execution/record/record.ts'
import type { Outcome } from '../../src/execution/record/record.ts'
import {
  ACCEPTED,
  answerTo,
  COMPLETED,
  FAILED,
  HANGS,
  httpError,
  live,
  NOT_FOUND,
  planWith,
  RUNNING,
  SECOND,
} from './support.ts'
import type { Reply } from './support.ts'
import { inWords, spent, stopped, whyOf } from '../support/reasons.ts'

interface Row {
  what: string
  replies: Reply[]
  outcome: Outcome
  reason: string | null
}

const ARRIVAL = { index: 3, instance: 0, intendedMicros: 0, warmUp: true }

const unwritten = (failure: NonNullable<Reply['failure']>): Reply => ({ failure, written: false })
const platform = (state: string, rest = {}): Reply => ({ body: { state, status: null, ...rest } })

const ROWS: Row[] = [
  row('connection refused, to the last retry', [unwritten('refused')], 'rejected', 'refused'),
  row('no such host', [unwritten('dns')], 'rejected', 'dns'),
  row('TLS fails', [unwritten('tls')], 'rejected', 'tls'),
  row('connecting takes too long', [unwritten('connect-timeout')], 'rejected', 'connect-timeout'),
  row('no socket within the limit', [unwritten('timeout')], 'rejected', 'timeout'),
  row('400', [httpError(400)], 'rejected', '400'),
  row('401 to the kickoff', [httpError(401)], 'rejected', '401'),
  row('422', [httpError(422)], 'rejected', '422'),
  row('429, to the last retry', [httpError(429)], 'rejected', '429'),
  row('503, to the last retry', [httpError(503)], 'rejected', '503'),
  row('a redirect', [{ status: 302 }], 'rejected', '302'),
  row(
    'the head of a 404, then a cut',
    [{ failure: 'truncated', status: 404 }],
    'rejected',
    'truncated',
  ),
  row('303: carried out, see elsewhere', [{ status: 303 }], 'unknown', '303'),
  row('500', [httpError(500)], 'unknown', '500'),
  row('502', [httpError(502)], 'unknown', '502'),
  row('504', [httpError(504)], 'unknown', '504'),
  row('written, no answer in time', [HANGS], 'unknown', 'timeout'),
  row('written, then reset', [{ failure: 'reset' }], 'unknown', 'reset'),
  row('written, then closed', [{ failure: 'closed' }], 'unknown', 'closed'),
  row('200 cut short', [{ failure: 'truncated', status: 200 }], 'unknown', 'truncated'),
  row('200 without an id', [{ body: {} }], 'unknown', 'no-id'),
  row('200 with an id that is an object', [{ body: { kickoff_id: {} } }], 'unknown', 'wrong-type'),
  row('200 with HTML', [{ body: '<html>' }], 'unknown', 'not-json'),
  row('204 without a body', [{ status: 204, body: '' }], 'unknown', 'not-json'),
  row('200 with a list', [{ body: [] }], 'unknown', 'wrong-shape'),
  row('completed', [ACCEPTED, RUNNING, COMPLETED], 'completed', null),
  row('completed at the first poll', [ACCEPTED, COMPLETED], 'completed', null),
  row('SUCCESS', [ACCEPTED, platform('SUCCESS', { result: 'x' })], 'completed', null),
  row('error', [ACCEPTED, RUNNING, FAILED], 'failed', 'no luck'),
  row('FAILED', [ACCEPTED, platform('FAILED', { status: 'boom' })], 'failed', 'boom'),
  row('REVOKED', [ACCEPTED, platform('REVOKED')], 'failed', 'REVOKED'),
  row('404', [ACCEPTED, NOT_FOUND], 'lost', '404'),
  row('404 after it ran', [ACCEPTED, RUNNING, NOT_FOUND], 'lost', '404'),
  row('NOT FOUND', [ACCEPTED, platform('NOT FOUND')], 'lost', 'NOT FOUND'),
  row('running to the deadline', [ACCEPTED, RUNNING], 'stuck', null),
  row('PENDING to the deadline', [ACCEPTED, platform('PENDING')], 'stuck', null),
  row('PAUSED to the deadline', [ACCEPTED, platform('PAUSED')], 'paused', 'PAUSED'),
  row('paused to the deadline', [ACCEPTED, RUNNING, platform('paused')], 'paused', 'PAUSED'),
  row('answered, then silent', [ACCEPTED, platform('PAUSED'), RUNNING], 'stuck', null),
  row('PAUSED, then 500', [ACCEPTED, platform('PAUSED'), httpError(500)], 'unreadable', '500'),
  row('NOT FOUND after it ran', [ACCEPTED, RUNNING, platform('NOT FOUND')], 'lost', 'NOT FOUND'),
  row('readable again before the deadline', [ACCEPTED, httpError(500), RUNNING], 'stuck', null),
  row('401 again and again', [ACCEPTED, RUNNING, httpError(401)], 'unreadable', '401'),
  row('403 again and again', [ACCEPTED, httpError(403)], 'unreadable', '403'),
  row('500 to the deadline', [ACCEPTED, RUNNING, httpError(500)], 'unreadable', '500'),
  row('503 to the deadline', [ACCEPTED, httpError(503)], 'unreadable', '503'),
  row('429 to the deadline', [ACCEPTED, httpError(429)], 'unreadable', '429'),
  row('redirects to the deadline', [ACCEPTED, { status: 301 }], 'unreadable', '301'),
  row('HTML to the deadline', [ACCEPTED, { body: '<html>' }], 'unreadable', 'not-json'),
  row(
    'an unknown state',
    [ACCEPTED, { body: { status: 'queued' } }],
    'unreadable',
    'unknown-state',
  ),
  row('a state that is a number', [ACCEPTED, { body: { status: 7 } }], 'unreadable', 'wrong-type'),
  row('no state', [ACCEPTED, { body: {} }], 'unreadable', 'wrong-shape'),
  row('time-outs to the deadline', [ACCEPTED, HANGS], 'unreadable', 'timeout'),
  row('resets to the deadline', [ACCEPTED, RUNNING, { failure: 'reset' }], 'unreadable', 'reset'),
]

function row(what: string, replies: Reply[], outcome: Outcome, reason: string | null): Row {
  return { what, replies, outcome, reason }
}

describe('the table of outcomes', () => {
  test.each(ROWS)('$what: $outcome', ({ replies, outcome, reason }) => {
    const { record, log } = live(replies)
    expect({ outcome: record.outcome, reason: whyOf(record) }).toEqual({ outcome, reason })
    expect(log.filter(({ action }) => action.kind === 'end')).toHaveLength(1)
  })

  test('every outcome has a row, here or below', () => {
    const elsewhere: Outcome[] = ['dropped', 'notReached', 'aborted']
    const covered = new Set([...ROWS.map((each) => each.outcome), ...elsewhere])
    expect(covered).toEqual(new Set(OUTCOMES))
  })
})

describe('a crew that asks people', () => {
  const asking = planWith({ human: true, notFoundGraceMicros: SECOND, deadlineMicros: 9 * SECOND })
  const hidden = platform('NOT FOUND')

  test.each([
    ['NOT FOUND to the deadline', [platform('STARTED'), hidden], 'paused', 'NOT FOUND'],
    ['404 to the deadline', [RUNNING, NOT_FOUND], 'paused', '404'],
    ['PAUSED, then NOT FOUND', [platform('PAUSED'), hidden], 'paused', 'NOT FOUND'],
    ['PENDING, then NOT FOUND', [platform('PENDING'), hidden], 'paused', 'NOT FOUND'],
    ['never seen at work', [hidden], 'lost', 'NOT FOUND'],
    ['only errors before', [httpError(500), hidden], 'lost', 'NOT FOUND'],
    ['answered in time', [RUNNING, hidden, hidden, hidden, hidden, COMPLETED], 'completed', null],
    ['refused by the person', [RUNNING, hidden, hidden, hidden, FAILED], 'failed', 'no luck'],
    ['no answers at last', [RUNNING, hidden, httpError(500)], 'unreadable', '500'],
  ] as [string, Reply[], Outcome, string | null][])('%s', (_, replies, outcome, reason) => {
    expect(inWords(live([ACCEPTED, ...replies], asking).record)).toMatchObject({ outcome, reason })
  })

  test.each([
    ['the delay of its end counts from then', [hidden, COMPLETED], -2],
    ['so too at its deadline', [hidden], -1],
  ] as [string, Reply[], number][])('was surely not done while hidden: %s', (_, replies, at) => {
    const { record } = live([ACCEPTED, RUNNING, hidden, hidden, ...replies], asking)
    const sent = record.polls.dueMicros.map((due) => record.intendedMicros + due)
    expect(record.lastNotDoneSentMicros).toBeGreaterThanOrEqual(sent.at(at)!)
  })
})

describe('a kickoff that may have started, sent again', () => {
  const base = planWith()
  const repeating = planWith({ retry: { ...base.retry, unknownKickoffs: 'repeat' } })

  test('is accepted in the end', () => {
    const { record } = live([HANGS, httpError(500), ACCEPTED, COMPLETED], repeating)
    expect(record).toMatchObject({ outcome: 'completed', kickoffId: 'id-1' })
    expect(record.kickoff).toMatchObject({ answer: ['timeout', 500, 200], retry: [0, 1, 1] })
  })

  test.each([
    ['the last of them was refused', [HANGS, unwritten('refused')], 'refused'],
    ['the last of them was turned away', [HANGS, httpError(429), httpError(400)], '400'],
  ] as [string, Reply[], string][])('stays unknown when %s', (_, replies, reason) => {
    expect(inWords(live(replies, repeating).record)).toMatchObject({ outcome: 'unknown', reason })
  })

  test('stays unknown when the retry comes too late', () => {
    const slow = { ...repeating, deadlineMicros: 6 * SECOND }
    expect(live([HANGS], slow).record.outcome).toBe('unknown')
  })
})

const STOPPED = stopped('now')

describe('stopped', () => {
  test('before its time: not reached, with why', () => {
    const shared = createShared(planWith(), 'run')
    const execution = createExecution(shared, ARRIVAL)
    const [action] = advance(execution, { kind: 'stop', atMicros: 5, reason: STOPPED })
    expect(action).toMatchObject({
      kind: 'end',
      record: { outcome: 'notReached', reason: STOPPED },
    })
  })

  test('with the kickoff in flight: aborted, and the kickoff counts as sent', () => {
    const { record } = live([HANGS], planWith(), { stop: { atMicros: 9_000, reason: STOPPED } })
    expect(record).toMatchObject({ outcome: 'aborted', reason: STOPPED, sentMicros: 1_000 })
    expect(record.kickoff.answer).toEqual(['cancelled'])
  })

  test('with a kickoff that waits for a socket: aborted, and it counts as not sent', () => {
    const stop = { atMicros: 9_000, reason: STOPPED, isUnsent: true }
    const { record } = live([HANGS], planWith(), { stop })
    expect(record).toMatchObject({ outcome: 'aborted', reason: STOPPED, sentMicros: null })
    expect(record.kickoff).toMatchObject({ answer: ['cancelled'], serviceMicros: [-1] })
    expect(mayCost(record)).toBe(false)
  })

  test('between two attempts of the kickoff: aborted', () => {
    const { record } = live([httpError(503)], planWith(), {
      stop: { atMicros: 50_000, reason: STOPPED },
    })
    expect(record).toMatchObject({ outcome: 'aborted', kickoffId: null })
  })

  test.each([
    ['between polls', 2.5],
    ['with a poll in flight', 4.5],
  ])('%s: aborted, with its id', (_, seconds) => {
    const { record } = live([ACCEPTED, RUNNING, RUNNING, HANGS], planWith(), {
      stop: { atMicros: seconds * SECOND, reason: STOPPED },
    })
    expect(record).toMatchObject({ outcome: 'aborted', kickoffId: 'id-1' })
  })

  test.each([
    ['the kickoff', [{ failure: 'cancelled' }]],
    ['a poll', [ACCEPTED, { failure: 'cancelled' }]],
  ] as [string, Reply[]][])('by giving up %s: aborted', (_, replies) => {
    expect(inWords(live(replies).record)).toMatchObject({ outcome: 'aborted', reason: 'cancelled' })
  })
})

describe('the budget refuses', () => {
  const refused = { kind: 'refused', atMicros: 9 * SECOND, reason: spent('kickoff') } as const

  test('the kickoff: not reached', () => {
    const execution = createExecution(createShared(planWith(), 'run'), ARRIVAL)
    advance(execution, { kind: 'due', atMicros: 0 })
    expect(advance(execution, refused)).toMatchObject([
      {
        kind: 'end',
        record: { outcome: 'notReached', reason: spent('kickoff'), sentMicros: null },
      },
    ])
  })

  test('its repetition: rejected, as its first answer said', () => {
    const execution = createExecution(createShared(planWith(), 'run'), ARRIVAL)
    advance(execution, { kind: 'due', atMicros: 0 })
    const answer = answerTo(httpError(503), 0)
    advance(execution, { kind: 'answer', atMicros: 3_000, answer })
    advance(execution, { kind: 'due', atMicros: SECOND })
    expect(advance(execution, refused)).toMatchObject([
      { kind: 'end', record: { outcome: 'rejected', reason: { code: 'answer', answer: 503 } } },
    ])
  })

  test('a poll: aborted', () => {
    const execution = createExecution(createShared(planWith(), 'run'), ARRIVAL)
    advance(execution, { kind: 'due', atMicros: 0 })
    advance(execution, { kind: 'answer', atMicros: 3_000, answer: answerTo(ACCEPTED, 0) })
    advance(execution, { kind: 'due', atMicros: 2 * SECOND })
    expect(advance(execution, refused)).toMatchObject([
      { kind: 'end', record: { outcome: 'aborted', reason: spent('kickoff') } },
    ])
  })
})

describe('dropped', () => {
  test('at the in-flight maximum: a record of its own', () => {
    expect(inWords(unsentRecord(ARRIVAL, TURNED_AWAY, 12))).toMatchObject({
      index: 3,
      warmUp: true,
      outcome: 'dropped',
      reason: 'max in flight',
      endedMicros: 12,
    })
  })

  test('inputs that throw', () => {
    const plan = planWith({
      inputs: () => {
        throw new Error('no such row')
      },
    })
    expect(inWords(live([ACCEPTED], plan).record)).toMatchObject({
      outcome: 'dropped',
      reason: 'inputs: Error: no such row',
    })
  })

  test('inputs that are no JSON', () => {
    const plan = planWith({ inputs: () => ({ inputs: { n: 1n }, tags: {} }) })
    expect(inWords(live([ACCEPTED], plan).record)).toMatchObject({
      outcome: 'dropped',
      reason: expect.stringMatching(/^inputs: TypeError: /) as string,
    })
  })
})
