/** The rules of one execution: when it polls, what it repeats, how it honours the deadline. */
import { describe, expect, test } from 'vitest'
import { advance, createExecution, createShared } from '../../src/execution/machine.ts'
import {
  ACCEPTED,
  answerTo,
  COMPLETED,
  HANGS,
  httpError,
  live,
  NOT_FOUND,
  planWith,
  running,
  RUNNING,
  SECOND,
  sends,
} from './support.ts'
import type { Reply } from './support.ts'
import { inWords } from '../support/reasons.ts'

describe('requests', () => {
  test('the kickoff carries the inputs, the poll the id, both the correlation', () => {
    const { log } = live([{ body: { kickoff_id: 'a b/c' } }, COMPLETED])
    const requests = log.flatMap(({ action }) => (action.kind === 'send' ? [action.request] : []))
    expect(requests).toEqual([
      {
        operation: 'kickoff',
        execution: 7,
        method: 'POST',
        path: '/kickoff',
        body: '{"inputs":{"topic":"topic 7"}}',
        correlation: 'run/7',
      },
      {
        operation: 'status',
        execution: 7,
        method: 'GET',
        path: '/status/a%20b%2Fc',
        body: null,
        correlation: 'run/7',
      },
    ])
  })

  test('the acceptance is told before the first wake', () => {
    const { log } = live([ACCEPTED, COMPLETED])
    expect(log.map(({ action }) => action.kind)).toEqual([
      'send',
      'accepted',
      'wake',
      'send',
      'end',
    ])
  })

  test('a first call is given its own time-out, until any answer came', () => {
    const shared = createShared(planWith(), 'run')
    const first = sends(live([ACCEPTED, COMPLETED], planWith(), { shared }))
    const second = sends(live([ACCEPTED, COMPLETED], planWith(), { shared }))
    expect(first[0]?.timeoutMicros).toBe(5 * SECOND)
    expect(first[1]?.timeoutMicros).toBe(3 * SECOND)
    expect(second[0]?.timeoutMicros).toBe(3 * SECOND)
  })

  test('an early or second wake sends nothing; a stray answer is ignored', () => {
    const execution = createExecution(createShared(planWith(), 'run'), ARRIVAL)
    advance(execution, { kind: 'due', atMicros: 0 })
    expect(advance(execution, { kind: 'due', atMicros: 1 })).toEqual([])
    const accepted = { kind: 'answer', atMicros: 2_050, answer: answerTo(ACCEPTED, 0) } as const
    advance(execution, accepted)
    expect(advance(execution, { kind: 'due', atMicros: 3_000 })).toEqual([
      { kind: 'wake', atMicros: SECOND + 2_050 },
    ])
    expect(advance(execution, accepted)).toEqual([])
  })
})

describe('polling', () => {
  test('a poll is intended one interval after the answer before, however late the generator is', () => {
    const run = live([ACCEPTED, RUNNING, RUNNING, COMPLETED], planWith(), { lateMicros: 300 })
    const { record } = run
    const done = record.polls.dueMicros.map(
      (due, i) =>
        due +
        record.polls.lateMicros[i]! +
        record.polls.waitMicros[i]! +
        record.polls.serviceMicros[i]!,
    )
    expect(record.polls.lateMicros).toEqual([300, 300, 300])
    expect(record.polls.dueMicros[1]).toBe(done[0]! + SECOND)
    expect(record.polls.dueMicros[2]).toBe(done[1]! + SECOND)
  })

  test('progress pacing hears of the tasks completed', () => {
    const plan = planWith({
      polling: { kind: 'progress', minMicros: 1_000, maxMicros: 60 * SECOND, pollsPerTask: 1 },
      deadlineMicros: 600 * SECOND,
    })
    const replies = [ACCEPTED, running('a', 0, 9), running('b', 8, 9), COMPLETED]
    const due = live(replies, plan).record.polls.dueMicros
    expect(due[2]! - due[1]!).toBeLessThan(due[1]!)
  })
})

describe('the deadline', () => {
  test('counts from the kickoff being sent, and no poll is released at or after it', () => {
    const plan = planWith({ deadlineMicros: 3 * SECOND })
    const run = live([{ ...ACCEPTED, waitMicros: SECOND }, RUNNING], plan)
    expect(run.record.endedMicros).toBe(1_000 + SECOND + 3 * SECOND)
    expect(sends(run).every(({ atMicros }) => atMicros < run.record.endedMicros)).toBe(true)
    expect(run.record.polls.answer).toHaveLength(2)
  })

  test('cuts the time-out of the last poll short, which is not held against the target', () => {
    const run = live([ACCEPTED, RUNNING, HANGS], planWith({ deadlineMicros: 3 * SECOND }))
    expect(sends(run).at(-1)!.timeoutMicros).toBeLessThan(3 * SECOND)
    expect(run.record.outcome).toBe('stuck')
    expect(run.record.endedMicros).toBe(1_050 + 3 * SECOND)
  })

  test.each([
    ['by the deadline', 10, 'stuck'],
    ['by its own limit', 0.1, 'unreadable'],
  ] as const)('a connection that was still being opened, cut %s', (_, limitSeconds, outcome) => {
    const { http } = planWith()
    const connectTimeoutMicros = limitSeconds * SECOND
    const plan = planWith({
      deadlineMicros: 3 * SECOND,
      polling: { kind: 'fixed', everyMicros: 2.5 * SECOND, initialDelayMicros: 0 },
      http: { ...http, connectTimeoutMicros },
    })
    const dials = { failure: 'connect-timeout', written: false, serviceMicros: 100_000 } as const
    expect(live([ACCEPTED, RUNNING, dials], plan).record).toMatchObject({ outcome })
  })

  test('comes before a Retry-After that lies beyond it', () => {
    const wait = { ...RUNNING, headers: { 'retry-after': '3600' } }
    const { record } = live([ACCEPTED, wait])
    expect(record).toMatchObject({ outcome: 'stuck', endedMicros: 1_050 + 10 * SECOND })
  })

  test('before the first poll: stuck, with why', () => {
    const { record } = live([ACCEPTED, RUNNING], planWith({ deadlineMicros: SECOND / 2 }))
    expect(inWords(record)).toMatchObject({
      outcome: 'stuck',
      reason: 'no poll before the deadline',
    })
  })

  test('ends the repetitions of a kickoff too', () => {
    const late = { ...httpError(503), headers: { 'retry-after': '60' } }
    const { record } = live([late])
    expect(inWords(record)).toMatchObject({
      outcome: 'rejected',
      reason: '503',
      endedMicros: 3_050,
    })
    expect(record.kickoff.answer).toEqual([503])
  })
})

describe('repeating', () => {
  test('a kickoff that surely did not start: after the backoff, as often as allowed', () => {
    const run = live([httpError(503)])
    expect(run.record.kickoff.answer).toEqual([503, 503, 503])
    const due = run.record.kickoff.dueMicros
    expect(due).toEqual([0, 2_050 + 100_000, 2 * 2_050 + 300_000])
  })

  test('a kickoff that is accepted in the end', () => {
    const refused = { failure: 'refused', written: false, serviceMicros: 10 } as const
    const { record } = live([refused, httpError(429), ACCEPTED, COMPLETED])
    expect(record.kickoff.answer).toEqual(['refused', 429, 200])
    expect(record.kickoff.serviceMicros[0]).toBe(-1)
    expect(record.outcome).toBe('completed')
  })

  test('never a kickoff that may have started', () => {
    for (const reply of [httpError(502), { failure: 'reset' } as const, HANGS]) {
      expect(live([reply]).record.kickoff.answer).toHaveLength(1)
    }
  })

  test('a poll after 503: after the backoff, then after the interval again', () => {
    const down = httpError(503)
    const replies = [ACCEPTED, down, down, down, down, COMPLETED]
    const due = live(replies).record.polls.dueMicros
    const pauses = due.slice(1).map((at, i) => at - due[i]! - 2_050)
    expect(pauses).toEqual([100_000, 200_000, SECOND, 100_000])
  })

  test('is told of each request: one that its interval paces is none, whatever came before', () => {
    const down = httpError(503)
    const { record } = live([down, ACCEPTED, down, down, down, NOT_FOUND], planWith())
    expect(record.kickoff.retry).toEqual([0, 1])
    expect(record.polls.retry).toEqual([0, 1, 1, 0])
  })

  test('not before Retry-After allows', () => {
    const limited = { ...httpError(429), headers: { 'retry-after': '2' } }
    const due = live([ACCEPTED, limited, COMPLETED]).record.polls.dueMicros
    expect(due[1]! - due[0]!).toBe(2_050 + 2 * SECOND)
  })

  test('not beyond the budget of the run', () => {
    const retry = {
      ...planWith().retry,
      budget: { ratio: 0, minimum: 1, windowMicros: 3_600 * SECOND },
    }
    const plan = planWith({ retry })
    const shared = createShared(plan, 'run')
    expect(live([httpError(503)], plan, { shared }).record.kickoff.answer).toHaveLength(2)
    expect(live([httpError(503)], plan, { shared }).record.kickoff.answer).toHaveLength(1)
  })
})

/** A poll a second, answered after 2.05 ms each; retries of statuses take no part. */
describe('a stretch without sight of the execution', () => {
  const plan = planWith({ notFoundGraceMicros: 2.5 * SECOND, deadlineMicros: 60 * SECOND })
  const DENIED = httpError(401)

  test.each([
    ['404', NOT_FOUND, 'lost', '404'],
    ['NOT FOUND of the platform', { body: { state: 'NOT FOUND' } }, 'lost', 'NOT FOUND'],
    ['401', DENIED, 'unreadable', '401'],
    ['403', httpError(403), 'unreadable', '403'],
  ] as const)('of %s within the grace is forgiven, beyond it not', (_, reply, outcome, reason) => {
    const patient = live([ACCEPTED, reply, reply, reply, COMPLETED], plan)
    expect(patient.record).toMatchObject({ outcome: 'completed', wastedPolls: 3 })
    const { record } = live([ACCEPTED, reply], plan)
    expect(inWords(record)).toMatchObject({ outcome, reason })
    expect(record.polls.answer).toHaveLength(4)
  })

  test.each([
    ['404', NOT_FOUND],
    ['401', DENIED],
  ] as const)('of %s is forgiven at any age of the execution', (_, reply) => {
    const late = [ACCEPTED, ...Array<Reply>(20).fill(RUNNING), reply, RUNNING, COMPLETED]
    expect(live(late, plan).record.outcome).toBe('completed')
  })

  test.each([
    ['404', NOT_FOUND],
    ['401', DENIED],
  ] as const)('of %s ends with one answer that can be read', (_, reply) => {
    const three: Reply[] = [reply, reply, reply]
    const broken = [ACCEPTED, ...three, RUNNING, ...three, RUNNING, ...three, COMPLETED]
    expect(live(broken, plan).record.outcome).toBe('completed')
  })

  test.each([
    ['500', httpError(500)],
    ['429', httpError(429)],
    ['a body that cannot be read', { body: '<html>' }],
    ['a reset connection', { failure: 'reset' }],
  ] as [string, Reply][])('goes on over %s, which tells nothing', (_, other) => {
    const unretried = { ...plan, retry: { ...plan.retry, statusRetries: 0 } }
    const replies = [ACCEPTED, NOT_FOUND, other, NOT_FOUND, NOT_FOUND]
    const { record } = live([...replies, COMPLETED], unretried)
    expect(inWords(record)).toMatchObject({ outcome: 'lost', reason: '404' })
    expect(
      live([ACCEPTED, other, other, other, NOT_FOUND, COMPLETED], unretried).record,
    ).toMatchObject({ outcome: 'completed' })
  })

  test('of one kind is no stretch of the other', () => {
    const mixed = [ACCEPTED, NOT_FOUND, NOT_FOUND, DENIED, DENIED, NOT_FOUND, COMPLETED]
    expect(live(mixed, plan).record.outcome).toBe('completed')
  })

  test('is none where a 403 asks for a wait: that is a rate limiter', () => {
    const limited = { ...httpError(403), headers: { 'retry-after': '1' } }
    const long: Reply[] = Array.from({ length: 9 }, () => limited)
    expect(live([ACCEPTED, ...long, COMPLETED], plan).record.outcome).toBe('completed')
    const after = [ACCEPTED, NOT_FOUND, ...long, COMPLETED]
    expect(live(after, plan).record.outcome).toBe('completed')
  })

  test('ends the execution at once where nothing is forgiven', () => {
    const strict = planWith({ notFoundGraceMicros: 0 })
    expect(live([ACCEPTED, NOT_FOUND], strict).record.polls.answer).toEqual([404])
    expect(live([ACCEPTED, DENIED], strict).record.polls.answer).toEqual([401])
  })
})

const ARRIVAL = { index: 7, instance: 0, intendedMicros: 0, warmUp: false }
