/** What holds for any target and any order of events. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { FailureClass } from '../../src/crew/answer.ts'
import { readStatus } from '../../src/crew/read.ts'
import { advance, createExecution, createShared } from '../../src/execution/machine.ts'
import type { Action, ExecutionEvent } from '../../src/execution/machine.ts'
import { OUTCOMES } from '../../src/execution/record/record.ts'
import type { ExecutionRecord, RequestColumns } from '../../src/execution/record/record.ts'
import { leastIntervalMicros } from '../scenario/polling-bounds.ts'
import type { PollingPolicy } from '../../src/scenario/polling/index.ts'
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
  running,
  RUNNING,
  SECOND,
} from './support.ts'
import type { Reply } from './support.ts'
import { stopped } from '../support/reasons.ts'

const RUNS = { seed: 7, numRuns: 150 }

const reply: fc.Arbitrary<Reply> = fc.oneof(
  fc.constantFrom<Reply>(ACCEPTED, ACCEPTED, RUNNING, RUNNING, COMPLETED, FAILED, NOT_FOUND, HANGS),
  fc.integer({ min: 200, max: 599 }).map((status) => httpError(status)),
  fc
    .constantFrom<FailureClass[]>('refused', 'reset', 'timeout', 'truncated', 'cancelled')
    .chain((failure) => fc.boolean().map((written): Reply => ({ failure, written }))),
  fc.json().map((body): Reply => ({ body })),
  fc.nat(20).map(runningAskingToWait),
)
const replies = fc.array(reply, { minLength: 1, maxLength: 12 })
const jitter = fc.constantFrom(
  'none' as const,
  'full' as const,
  'equal' as const,
  'decorrelated' as const,
)
const polling: fc.Arbitrary<PollingPolicy> = fc.oneof(
  fc.constant({ kind: 'fixed' as const, everyMicros: SECOND, initialDelayMicros: SECOND / 2 }),
  fc.record({
    kind: fc.constant('exponential' as const),
    initialMicros: fc.integer({ min: 50_000, max: SECOND }),
    factor: fc.double({ min: 1, max: 3, noNaN: true }),
    maxMicros: fc.integer({ min: SECOND, max: 5 * SECOND }),
    jitter,
  }),
  fc.record({
    kind: fc.constant('progress' as const),
    minMicros: fc.constant(100_000),
    maxMicros: fc.constant(2 * SECOND),
    pollsPerTask: fc.integer({ min: 1, max: 10 }),
  }),
)

test('whatever the target answers, one end comes, and the record adds up', () => {
  fc.assert(
    fc.property(replies, polling, fc.nat(5_000), (list, policy, lateMicros) => {
      const { log, record } = live(list, planWith({ polling: policy }), { lateMicros })
      expect(log.filter(({ action }) => action.kind === 'end')).toHaveLength(1)
      expect(OUTCOMES).toContain(record.outcome)
      expectWholeColumns(record.kickoff, record)
      expectWholeColumns(record.polls, record)
      expect(record.wastedPolls).toBeLessThanOrEqual(record.polls.answer.length)
    }),
    RUNS,
  )
})

test('an answer like the last one changes nothing that reading it again would not', () => {
  const bodies = fc.constantFrom<Reply>(
    RUNNING,
    running('write', 1),
    running('write', 2, 1),
    running('check', 1, 3),
    { ...RUNNING, headers: { 'content-type': 'text/plain' } },
    { ...RUNNING, status: 202 },
    { body: { state: 'RUNNING', status: null, result: null, progress: null } },
    { body: { state: 'PENDING_HUMAN_INPUT', status: 'x', progress: { completed: 1, total: 3 } } },
    { body: { state: 'RUNNING', status: 'completed', progress: 1 } },
    { body: { status: 'RUNNING', current_task: 1 } },
    httpError(503),
    runningAskingToWait(2),
  )
  const repeated = fc.tuple(bodies, fc.integer({ min: 1, max: 4 }))
  const said = fc.array(repeated, { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(said, polling, fc.constantFrom(COMPLETED, FAILED, HANGS), (list, policy, last) => {
      const plan = planWith({ polling: policy })
      const told = [ACCEPTED, ...list.flatMap(([reply, times]) => Array(times).fill(reply)), last]
      const each = { ...createShared(plan, 'run'), readings: { read: readStatus } }
      const once = live(told as Reply[], plan)
      const again = live(told as Reply[], plan, { shared: each })
      expect(once.record).toEqual(again.record)
      expect(once.log).toEqual(again.log)
      expect(once.execution.tracker.violations).toEqual(again.execution.tracker.violations)
    }),
    RUNS,
  )
})

test('a poll is never intended earlier than the policy or the retry policy allows, nor released after the deadline', () => {
  fc.assert(
    fc.property(replies, polling, fc.nat(5_000), (list, policy, lateMicros) => {
      const plan = planWith({ polling: policy })
      const { record, log } = live([ACCEPTED, ...list], plan, { lateMicros })
      const least = Math.min(leastIntervalMicros(policy), plan.retry.backoff.initialMicros)
      const deadline = (record.sentMicros ?? 0) + plan.deadlineMicros
      let answered = (record.acceptedMicros ?? 0) - record.intendedMicros
      record.polls.dueMicros.forEach((due, i) => {
        expect(due).toBeGreaterThanOrEqual(answered + least)
        answered = doneAt(record.polls, i)
      })
      for (const { atMicros, action } of log) {
        if (action.kind !== 'send' || action.request.operation === 'kickoff') continue
        expect(atMicros).toBeLessThan(deadline)
        expect(atMicros + action.timeoutMicros).toBeLessThanOrEqual(deadline)
      }
    }),
    RUNS,
  )
})

test('the retry budget is never exceeded', () => {
  fc.assert(
    fc.property(fc.array(replies, { maxLength: 8 }), fc.nat(4), (lists, minimum) => {
      const ratio = 0.25
      const retry = {
        ...planWith().retry,
        statusRetries: 5,
        budget: { ratio, minimum, windowMicros: 3_600 * SECOND },
      }
      const plan = planWith({ retry, deadlineMicros: 60 * SECOND, polling: SLOW })
      const shared = createShared(plan, 'run')
      const records = lists.map((list) => live([ACCEPTED, ...list], plan, { shared }).record)
      const retries = records.map(pollsSoonerThanPolling).reduce((sum, n) => sum + n, 0)
      const polls = records.reduce((sum, { polls }) => sum + polls.answer.length, 0)
      const firstAttempts = records.length + polls - retries
      expect(retries).toBeLessThanOrEqual(minimum + ratio * firstAttempts)
      const told = records.flatMap(({ polls }) => polls.retry).filter((retry) => retry === 1)
      expect(told).toHaveLength(retries)
    }),
    RUNS,
  )
})

test('any sequence of events, stopped in the end, gives one end and nothing after it', () => {
  const event = fc.tuple(
    fc.constantFrom('due', 'answer', 'refused', 'stop'),
    fc.nat(2 * SECOND),
    reply,
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (steps) => {
      const execution = createExecution(createShared(planWith(), 'run'), ARRIVAL)
      const actions: Action[] = []
      let atMicros = 0
      let outstanding = 0
      for (const [kind, pause, said] of [...steps, ['stop', 1, ACCEPTED] as const]) {
        atMicros += pause
        if (kind === 'answer' || kind === 'refused') outstanding = 0
        const returned = advance(execution, eventOf(kind, atMicros, said))
        outstanding += returned.filter((action) => action.kind === 'send').length
        expect(outstanding).toBeLessThanOrEqual(1)
        actions.push(...returned)
      }
      expect(actions.filter(({ kind }) => kind === 'end')).toHaveLength(1)
      expect(actions.at(-1)?.kind).toBe('end')
    }),
    RUNS,
  )
})

test('the same seed and index give the same polls, in whatever order executions are made', () => {
  const policy: PollingPolicy = {
    kind: 'exponential',
    initialMicros: SECOND,
    factor: 1.5,
    maxMicros: 4 * SECOND,
    jitter: 'full',
  }
  const plan = planWith({ polling: policy })
  const shared = createShared(plan, 'run')
  const first = live([ACCEPTED, RUNNING], plan, { shared }).record.polls.dueMicros
  live([httpError(503)], plan, { shared })
  expect(live([ACCEPTED, RUNNING], plan, { shared }).record.polls.dueMicros).toEqual(first)
})

const ARRIVAL = { index: 7, instance: 0, intendedMicros: 0, warmUp: false }
/** Slower than any backoff, so that a repetition can be told by its pause. */
const SLOW: PollingPolicy = {
  kind: 'fixed',
  everyMicros: 5 * SECOND,
  initialDelayMicros: 5 * SECOND,
}

function runningAskingToWait(seconds: number): Reply {
  return { ...RUNNING, headers: { 'retry-after': String(seconds) } }
}

function eventOf(kind: string, atMicros: number, said: Reply): ExecutionEvent {
  switch (kind) {
    case 'due':
      return { kind, atMicros }
    case 'answer':
      return { kind, atMicros, answer: answerTo(said, atMicros) }
    case 'refused':
    case 'stop':
      return { kind, atMicros, reason: stopped('now', kind) }
    default:
      throw new Error(kind)
  }
}

function doneAt(columns: RequestColumns, i: number): number {
  const service = Math.max(0, columns.serviceMicros[i]!)
  return columns.dueMicros[i]! + columns.lateMicros[i]! + columns.waitMicros[i]! + service
}

function expectWholeColumns(columns: RequestColumns, record: ExecutionRecord): void {
  const { asked = [], ...dense } = columns
  const lengths = new Set(Object.values(dense).map((column: unknown[]) => column.length))
  expect(lengths.size).toBe(1)
  expect(asked.every(({ request }) => request < columns.answer.length)).toBe(true)
  for (let i = 0; i < columns.answer.length; i++) {
    expect(columns.lateMicros[i]).toBeGreaterThanOrEqual(0)
    expect(columns.waitMicros[i]).toBeGreaterThanOrEqual(0)
    expect(doneAt(columns, i) + record.intendedMicros).toBeLessThanOrEqual(record.endedMicros)
  }
}

function pollsSoonerThanPolling({
  polls,
  acceptedMicros,
  intendedMicros,
}: ExecutionRecord): number {
  let answered = (acceptedMicros ?? 0) - intendedMicros
  let sooner = 0
  polls.dueMicros.forEach((due, i) => {
    if (due - answered < 5 * SECOND) sooner++
    answered = doneAt(polls, i)
  })
  return sooner
}
