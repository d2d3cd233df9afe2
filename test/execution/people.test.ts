/** What one execution does when its crew asks people, whatever the crew answers. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FailureClass } from '../../src/crew/answer.ts'
import { stopped } from '../support/reasons.ts'
import type { Plan } from '../../src/scenario/plan.ts'
import {
  ACCEPTED,
  COMPLETED,
  httpError,
  live,
  planWith,
  running,
  SECOND,
  sends,
} from './support.ts'
import type { Reply, Run } from './support.ts'

const YES = { approve: true, feedback: 'fine' }
const NO = { approve: false, feedback: 'longer, please' }

function asking(people: Partial<NonNullable<Plan['people']>> = {}, more: Partial<Plan> = {}): Plan {
  const usual = { answers: [YES], afterMicros: 0, task: null, form: 'documented' } as const
  return planWith({ human: true, people: { ...usual, ...people }, ...more })
}

const PAUSED: Reply = platform('PAUSED')
const HIDDEN: Reply = platform('NOT FOUND', null)
const AT_WORK: Reply = platform('RUNNING')
const DONE: Reply = platform('SUCCESS')
const OK: Reply = { body: {} }

const inputs: Plan['inputs'] = () => ({
  inputs: {},
  members: { crewWebhookUrl: 'http://127.0.0.1:1/crew', meta: {} },
  tags: {},
})

function platform(state: string, current: string | null = 'draft'): Reply {
  const progress = current === null ? null : { completed: 0, total: 2, current }
  return { body: { state, status: null, result: 'text', progress } }
}

function resumesOf(run: Run): Record<string, unknown>[] {
  return run.log.flatMap(({ action }) =>
    action.kind === 'send' && action.request.operation === 'resume'
      ? [JSON.parse(action.request.body!) as Record<string, unknown>]
      : [],
  )
}

describe('a person is answered for', () => {
  test('after its time, while polls go on, with the ids of the execution and its task', () => {
    const plan = asking({ afterMicros: 2.5 * SECOND })
    const run = live([ACCEPTED, PAUSED, PAUSED, PAUSED, OK, AT_WORK, DONE], plan)
    const [resume] = resumesOf(run)
    expect(resume).toEqual({
      execution_id: 'id-1',
      task_id: 'draft',
      human_feedback: 'fine',
      is_approve: true,
    })
    const paths = sends(run).map(({ path }) => path)
    expect(paths.indexOf('/resume')).toBe(4)
    const { people, resumes, outcome, polls } = run.record
    expect(outcome).toBe('completed')
    expect(polls.answer).toHaveLength(5)
    expect(resumes?.answer).toEqual([200])
    const [asked] = people!
    expect(asked).toMatchObject({ task: 'draft', answer: { approve: true, code: 200 } })
    expect(asked!.answer!.doneMicros - asked!.seenMicros).toBe(2.5 * SECOND + 2_050)
    expect(asked!.goneMicros).toBeGreaterThan(asked!.answer!.doneMicros)
  })

  test('where the crew hides the execution, once it was seen at work', () => {
    const run = live([ACCEPTED, AT_WORK, HIDDEN, OK, DONE], asking())
    expect(resumesOf(run)).toMatchObject([{ task_id: 'draft' }])
    expect(run.record.outcome).toBe('completed')
    const never = live([ACCEPTED, HIDDEN], asking())
    expect([resumesOf(never), never.record.outcome]).toEqual([[], 'lost'])
  })

  test('again if the crew still asks, with the next answer of the list, whose last one stays', () => {
    const plan = asking({ answers: [NO, YES] })
    const next = platform('PAUSED', 'print')
    const run = live([ACCEPTED, PAUSED, OK, AT_WORK, PAUSED, OK, next, OK, DONE], plan)
    const said = resumesOf(run).map((body) => [body['is_approve'], body['human_feedback']])
    expect(said).toEqual([
      [false, 'longer, please'],
      [true, 'fine'],
      [true, 'fine'],
    ])
    expect(run.record.people).toHaveLength(3)
    expect(run.record.people!.every(({ goneMicros }) => goneMicros !== null)).toBe(true)
  })

  test.each([
    ['is still seen', [PAUSED]],
    ['is seen without its task', [platform('PAUSED', null), PAUSED]],
    ['is hidden', [HIDDEN]],
    ['is hidden and seen again', [HIDDEN, PAUSED]],
  ])('once, until something has changed: it %s after an accepted answer', (_, after) => {
    const run = live([ACCEPTED, PAUSED, OK, ...after], asking({ answers: [NO, YES] }))
    expect(resumesOf(run)).toMatchObject([{ is_approve: false }])
    expect(run.record.people).toMatchObject([{ answer: { approve: false }, goneMicros: null }])
    expect(run.record.outcome).toBe('paused')
  })

  test('with the next answer once another task, or more completed ones, are seen', () => {
    const progress = { completed: 1, total: 2, current: 'draft' }
    const further = { body: { state: 'PAUSED', status: null, result: null, progress } }
    const run = live([ACCEPTED, PAUSED, OK, further, OK], asking({ answers: [NO, YES] }))
    expect(resumesOf(run).map((body) => body['is_approve'])).toEqual([false, true])
    expect(run.record.people).toMatchObject([
      { goneMicros: run.record.people![0]!.answer!.doneMicros },
      {},
    ])
  })

  test('not at all while nobody knows its task', () => {
    const nameless = platform('PAUSED', null)
    const run = live([ACCEPTED, nameless], asking())
    expect([resumesOf(run), run.record.outcome]).toEqual([[], 'paused'])
    expect(resumesOf(live([ACCEPTED, nameless, OK, DONE], asking({ task: 'print' })))).toHaveLength(
      1,
    )
  })

  test('with the task of the scenario, and the webhooks of the kickoff', () => {
    const run = live([ACCEPTED, PAUSED, OK, DONE], asking({ task: 'print' }, { inputs }))
    expect(resumesOf(run)[0]).toMatchObject({
      task_id: 'print',
      crewWebhookUrl: 'http://127.0.0.1:1/crew',
    })
    expect(resumesOf(run)[0]).not.toHaveProperty('meta')
  })
})

function ids(run: Run): string[][] {
  return resumesOf(run).map((body) => Object.keys(body).slice(0, 2))
}

describe('the form of an answer', () => {
  const live10 = ['executionId', 'taskId']
  const documented = ['execution_id', 'task_id']

  test('is told by the dialect, and the other one is tried after a 422', () => {
    const run = live([ACCEPTED, PAUSED, httpError(422), OK, DONE], asking({ form: null }))
    expect(ids(run)).toEqual([live10, documented])
    expect(run.record.people).toMatchObject([{ answer: { code: 200 } }])
    expect(run.record.resumes?.answer).toEqual([422, 200])
  })

  test('is tried once each', () => {
    const run = live(
      [ACCEPTED, PAUSED, httpError(422), httpError(422), PAUSED],
      asking({ form: null }),
    )
    expect(ids(run)).toEqual([live10, documented])
    expect(run.record.outcome).toBe('paused')
  })

  test('that the scenario chose stays', () => {
    const run = live([ACCEPTED, PAUSED, httpError(422), PAUSED], asking({ form: 'live' }))
    expect(ids(run)).toEqual([live10])
    expect(run.record.people).toMatchObject([{ answer: { code: 422 }, goneMicros: null }])
    expect(run.record).toMatchObject({ outcome: 'paused', reason: { code: 'paused' } })
  })
})

/** When answers are due that fail in this way, in whole seconds. */
function resumeTimes(headers: Record<string, string>, more: Partial<Plan> = {}): number[] {
  const reply = { ...httpError(500), headers }
  const { resumes } = live([ACCEPTED, PAUSED, reply, PAUSED], asking({}, more)).record
  return resumes!.dueMicros.map((due) => Math.round(due / SECOND))
}

describe('an answer that fails', () => {
  test('is retried if nothing can have come of it, and after it while a person is asked', () => {
    const lost = { failure: 'reset', written: true } as const
    const run = live([ACCEPTED, PAUSED, httpError(503), OK, DONE], asking())
    expect(run.record.resumes).toMatchObject({ answer: [503, 200], retry: [0, 1] })
    const unsure = live([ACCEPTED, PAUSED, lost, PAUSED, OK, DONE], asking())
    expect(unsure.record.resumes?.answer).toEqual(['reset', 200])
    expect(unsure.record.people).toHaveLength(1)
  })

  test('is sent again no sooner than backoff and Retry-After allow, and what the budget has', () => {
    const retry = planWith().retry
    const slow = { ...retry.backoff, initialMicros: 3 * SECOND, maxMicros: 3 * SECOND }
    expect(resumeTimes({})).toEqual([1, 2])
    expect(resumeTimes({}, { retry: { ...retry, backoff: slow } })).toEqual([1, 4])
    expect(resumeTimes({ 'retry-after': '5' })).toEqual([1, 6])
    expect(resumeTimes({ 'retry-after': '50' })).toEqual([1])
    const none = { ratio: 0, minimum: 0, windowMicros: SECOND }
    expect(resumeTimes({}, { retry: { ...retry, budget: none } })).toEqual([1])
  })

  test('is given up after the retries of a kickoff', () => {
    const replies = [ACCEPTED, PAUSED, httpError(503), httpError(503), httpError(503), PAUSED]
    const run = live(replies, asking())
    expect(run.record.resumes?.answer).toEqual([503, 503, 503])
    expect(run.record.outcome).toBe('paused')
  })
})

describe('at the deadline', () => {
  test('whose answer was accepted is stuck, and not paused: nobody is waited for', () => {
    const plan = asking(
      {},
      { polling: { kind: 'fixed', everyMicros: 6 * SECOND, initialDelayMicros: SECOND } },
    )
    const run = live([ACCEPTED, PAUSED, { ...OK, serviceMicros: 2.9 * SECOND }, AT_WORK], plan)
    expect(run.record.outcome).toBe('stuck')
    const rare = { kind: 'fixed', everyMicros: 20 * SECOND, initialDelayMicros: SECOND } as const
    const soon = live(
      [ACCEPTED, PAUSED, OK],
      asking({ afterMicros: 7 * SECOND }, { polling: rare }),
    )
    expect(soon.record).toMatchObject({ outcome: 'stuck', people: [{ answer: { code: 200 } }] })
  })

  test('before its answer it is paused', () => {
    const run = live([ACCEPTED, PAUSED], asking({ afterMicros: 20 * SECOND }))
    expect([run.record.outcome, resumesOf(run)]).toEqual(['paused', []])
    expect(run.record.people).toEqual([
      { task: 'draft', seenMicros: expect.any(Number) as number, goneMicros: null },
    ])
  })

  test('without a scenario that answers, polls alone see people', () => {
    const run = live([ACCEPTED, PAUSED, AT_WORK, COMPLETED], planWith({ human: false }))
    expect(run.record.people).toMatchObject([{ task: 'draft' }])
    expect(run.record.resumes).toBeUndefined()
  })
})

const reply: fc.Arbitrary<Reply> = fc.oneof(
  fc.constantFrom<Reply>(
    PAUSED,
    PAUSED,
    PAUSED,
    HIDDEN,
    AT_WORK,
    DONE,
    OK,
    OK,
    running('write', 0),
  ),
  fc.integer({ min: 200, max: 599 }).map((status) => httpError(status)),
  fc
    .constantFrom<FailureClass[]>('refused', 'reset', 'timeout', 'cancelled')
    .chain((failure) => fc.boolean().map((written): Reply => ({ failure, written }))),
  fc
    .integer({ min: 0, max: 4 * SECOND })
    .map((serviceMicros) => Object.assign({ serviceMicros }, PAUSED)),
)

test('in any order of questions, answers, failures, deadline and stop: one end, whole columns', () => {
  fc.assert(
    fc.property(
      fc.array(reply, { minLength: 1, maxLength: 20 }),
      fc.integer({ min: 0, max: 12 * SECOND }),
      fc.constantFrom(null, 'documented' as const, 'live' as const),
      fc.option(fc.integer({ min: 2_000, max: 12 * SECOND })),
      (replies, afterMicros, form, stopMicros) => {
        const plan = asking({ answers: [NO, YES], afterMicros, form })
        const stop =
          stopMicros === null ? {} : { stop: { atMicros: stopMicros, reason: stopped('now') } }
        const { log, record } = live([ACCEPTED, ...replies], plan, stop)
        expect(log.filter(({ action }) => action.kind === 'end')).toHaveLength(1)
        expect(log.at(-1)?.action.kind).toBe('end')
        const { people = [], resumes } = record
        const lengths = Object.values(resumes ?? { answer: [] }).map((list) => list.length)
        expect(new Set(lengths).size).toBe(1)
        const sent = log.filter(
          ({ action }) => action.kind === 'send' && action.request.operation === 'resume',
        )
        expect(lengths[0]).toBe(sent.length)
        for (const [at, { seenMicros, answer, goneMicros }] of people.entries()) {
          const nextMicros = people[at + 1]?.seenMicros ?? record.endedMicros
          expect(goneMicros ?? nextMicros).toBeLessThanOrEqual(nextMicros)
          expect(answer?.doneMicros ?? seenMicros).toBeGreaterThanOrEqual(seenMicros)
          expect(goneMicros !== null || at === people.length - 1).toBe(true)
        }
        expect(record.outcome !== 'paused' || people.at(-1)?.goneMicros === null).toBe(true)
      },
    ),
    { seed: 7, numRuns: 500 },
  )
})
