/** The contract: every rule is broken by an answer of its own, and by no good one. */
import { describe, expect, test } from 'vitest'
import type { Answer, WholeAnswer } from '../../src/crew/answer.ts'
import {
  checkInputs,
  checkKickoff,
  checkStatus,
  createTracker,
} from '../../src/crew/contract/contract.ts'
import { CONTRACT_RULES } from '../../src/crew/contract/rules.ts'
import { ID_UNIQUE } from '../../src/crew/contract/kickoff.ts'
import { EXCERPT_LENGTH } from '../../src/crew/excerpt.ts'
import { readInputs, readKickoff, readStatus } from '../../src/crew/read.ts'
import { answer, COMPLETED, ERROR_BODY, FAILED, PLATFORM, RUNNING, TIMED_OUT } from './support.ts'

const HTML = { 'content-type': 'text/html' }
const QUEUED = { ...RUNNING, progress: { completed_tasks: 0, total_tasks: 3 } }
const PAUSED = { ...PLATFORM, state: 'PAUSED' }
const DONE_AFTER_PAUSE = {
  ...PLATFORM,
  state: 'SUCCESS',
  result: 'done',
  progress: { ...PLATFORM.progress, duration_seconds: 3 },
}
const SUCCESS = { ...PLATFORM, state: 'SUCCESS', result: 'done' }

const EMPTY = { ...COMPLETED, result: { output: ' ', tasks: [] } }

/** The answers of one execution, and the rules they break. */
const STATUS_ROWS: [rule: string, answers: Answer[]][] = [
  ['status-answers-200', [answer(RUNNING, 202)]],
  ['status-code-known', [answer('', 418)]],
  ['content-type-json', [answer(RUNNING, 200, HTML)]],
  ['content-type-json', [answer(RUNNING, 200, {})]],
  [
    'retry-after-is-readable',
    [answer(RUNNING, 200, { 'content-type': 'application/json', 'retry-after': 'soon' })],
  ],
  ['retry-after-is-readable', [answer('', 429, { 'retry-after-ms': 'x' })]],
  ['body-is-json', [answer('oops')]],
  ['body-is-json', [answer([])]],
  ['state-is-known', [answer({ status: 'queued' })]],
  ['state-is-known', [answer({ ...PLATFORM, state: 'QUEUED' })]],
  ['error-body-shape', [answer('gone', 404)]],
  ['error-body-has-fields', [answer({ error: 'x' }, 500)]],
  ['error-body-has-fields', [answer(RUNNING), answer({ detail: 'x' }, 401)]],
  ['platform-error-has-detail', [answer(PLATFORM), answer('no', 401)]],
  ['running-has-current-task', [answer({ ...RUNNING, current_task: null })]],
  ['running-has-progress', [answer({ ...RUNNING, progress: undefined })]],
  ['completed-has-result', [answer({ ...COMPLETED, result: 'done' })]],
  ['completed-has-execution-time', [answer({ ...COMPLETED, execution_time: '108.5' })]],
  ['completed-has-execution-time', [answer({ ...COMPLETED, execution_time: -1 })]],
  ['error-has-error', [answer({ ...FAILED, error: undefined })]],
  ['error-has-execution-time', [answer({ ...FAILED, execution_time: null })]],
  ['status-word-exact', [answer({ ...RUNNING, status: 'Running' })]],
  ['result-has-output', [completedWith({ output: 3, tasks: [] })]],
  ['result-has-tasks', [completedWith({ output: 'x' })]],
  ['task-result-shape', [completedWith({ output: 'x', tasks: [{}] })]],
  ['progress-has-integers', [running(0.5, 2)]],
  ['progress-has-integers', [running('1', 2)]],
  ['progress-in-range', [running(3, 2)]],
  ['progress-in-range', [running(-1, 2)]],
  ['completed-tasks-never-decrease', [running(2, 3), running(1, 3)]],
  ['total-tasks-constant', [running(1, 3), running(1, 4)]],
  ['platform-progress-has-integers', [platform({ completed: 1.5, total: 3 })]],
  ['platform-progress-has-integers', [platform({ unit: 'task', completed: 1, total: null })]],
  ['platform-progress-is-object', [platform('half')]],
  ['platform-message-is-text', [answer({ ...PLATFORM, status: 7 })]],
  ['platform-result-is-text', [answer({ ...SUCCESS, result: null })]],
  ['terminal-state-is-final', [answer(COMPLETED), answer(FAILED)]],
  ['terminal-state-is-final', [answer(FAILED), answer(RUNNING)]],
  ['result-is-stable', [answer(FAILED), answer({ ...FAILED, error: 'else' })]],
  ['execution-time-is-stable', [answer(COMPLETED), answer({ ...COMPLETED, execution_time: 1 })]],
  ['one-dialect', [answer(RUNNING), answer(SUCCESS)]],
  ['execution-time-not-too-short', [at(1, RUNNING), at(5, RUNNING), at(6, lasting(0.5))]],
  ['execution-time-not-too-short', [at(1, QUEUED), at(2.5, QUEUED), at(3, lasting(0.001))]],
  ['completion-shows-work', [answer(EMPTY)]],
]

/**
 * A kickoff that was sent at 0, the end that was seen so many seconds later, and the execution time
 * that was told.
 */
const END_ROWS: [told: number, seenAtSeconds: number, rules: string[]][] = [
  [9_999, 1, ['execution-time-not-too-long']],
  [4.1, 1, ['execution-time-not-too-long']],
  [3.9, 1, []],
  [0.9, 1, []],
  [0, 1, []],
]

/** Its rows know the id of the kickoff. */
const OF_ITS_EXECUTION = 'status-is-of-its-execution'

const KICKOFF_ROWS: [rule: string, answer: Answer][] = [
  ['kickoff-answers-200', answer({ kickoff_id: 'x' }, 202)],
  ['kickoff-content-type-json', answer({ kickoff_id: 'x' }, 200, HTML)],
  ['kickoff-is-not-redirected', answer('', 307, { location: '/kickoff/' })],
  ['kickoff-retry-after-is-readable', answer('', 429, { 'retry-after': 'soon' })],
  ['kickoff-id-present', answer({})],
  ['kickoff-id-is-string', answer({ kickoff_id: 7 })],
  ['kickoff-id-sane', answer({ kickoff_id: 'a b' })],
  ['kickoff-id-sane', answer({ kickoff_id: 'a\u0000' })],
]

const INPUTS_ROWS: [rule: string, answer: Answer][] = [
  ['inputs-content-type-json', answer({ inputs: [] }, 200, HTML)],
  ['inputs-lists-names', answer({ inputs: [1] })],
]

describe('broken, alone', () => {
  test.each(STATUS_ROWS)('%s', (rule, answers) => {
    expect(rulesBroken(answers)).toEqual([rule])
  })

  test.each(KICKOFF_ROWS)('%s', (rule, given) => {
    expect(kickoffRulesBroken(given)).toEqual([rule])
  })

  test.each(INPUTS_ROWS)('%s', (rule, given) => {
    expect(checkInputs(given, readInputs(given)).map((broken) => broken.rule)).toEqual([rule])
  })

  test.each(END_ROWS)('%s s, told %s s after the kickoff: %j', (told, seconds, rules) => {
    const tracker = createTracker()
    const kickoff = at(0, { kickoff_id: 'x' })
    checkKickoff(tracker, kickoff, readKickoff(kickoff))
    checkStatus(tracker, at(seconds, lasting(told)), readStatus(at(seconds, lasting(told))))
    expect(tracker.violations.map(({ rule }) => rule)).toEqual(rules)
  })

  test.each([
    [{ ...RUNNING, kickoff_id: 'y' }, ['status-is-of-its-execution']],
    [{ ...COMPLETED, execution_id: 7 }, ['status-is-of-its-execution']],
    [{ ...SUCCESS, executionId: 'y' }, ['status-is-of-its-execution']],
    [{ ...COMPLETED, kickoff_id: 'X', execution_id: null }, []],
  ])('an answer about %j to the client of execution x: %j', (body, rules) => {
    const tracker = createTracker()
    const kickoff = at(0, { kickoff_id: 'x' })
    checkKickoff(tracker, kickoff, readKickoff(kickoff))
    checkStatus(tracker, at(200, body), readStatus(at(200, body)))
    expect(tracker.violations.map(({ rule }) => rule)).toEqual(rules)
  })

  test('failed-run-is-200, beside the fields of an Error body that are missing', () => {
    expect(rulesBroken([answer(FAILED, 500)])).toEqual([
      'failed-run-is-200',
      'error-body-has-fields',
    ])
  })

  test('every rule has a row', () => {
    const rows = [...STATUS_ROWS, ...KICKOFF_ROWS, ...INPUTS_ROWS].map(([rule]) => rule)
    const ends = END_ROWS.flatMap(([, , rules]) => rules)
    const tested = new Set([
      ...rows,
      ...ends,
      'failed-run-is-200',
      OF_ITS_EXECUTION,
      ID_UNIQUE.name,
    ])
    expect(tested).toEqual(new Set(CONTRACT_RULES.map(({ name }) => name)))
  })
})

describe('only what the interface names as present is documented', () => {
  test.each([
    ['completed', [answer({ status: 'completed', result: {}, execution_time: 1.5 })]],
    ['with tasks of few fields', [completedWith({ tasks: [{ task_id: 'write' }] })]],
    ['running', [answer({ status: 'running', current_task: 'write', progress: {} })]],
    ['error', [answer({ status: 'error', error: '', execution_time: 0 })]],
    ['an Error body that says little', [answer({ error: 'Not found' }, 404)]],
  ])('%s', (_, answers) => {
    expect(rulesBroken(answers).filter(isDocumented)).toEqual([])
  })

  test.each([
    ['completed-has-result', { status: 'completed', execution_time: 1.5 }],
    ['completed-has-execution-time', { status: 'completed', result: {} }],
    ['running-has-current-task', { status: 'running', progress: {} }],
    ['running-has-progress', { status: 'running', current_task: 'write' }],
    ['error-has-error', { status: 'error', execution_time: 1 }],
    ['error-has-execution-time', { status: 'error', error: 'no luck' }],
  ])('and %s is', (rule, body) => {
    expect(rulesBroken([answer(body)]).filter(isDocumented)).toEqual([rule])
  })
})

describe('kept', () => {
  test.each([
    ['by an execution that completes', [running(0, 2), running(1, 2), answer(COMPLETED)]],
    ['by one that fails', [answer(RUNNING), answer(FAILED), answer(FAILED)]],
    ['by the platform dialect', [answer(PLATFORM), answer(SUCCESS), answer(SUCCESS)]],
    ['where progress is null', [answer({ ...PLATFORM, progress: null })]],
    ['by Error bodies', [answer(ERROR_BODY, 404), answer(ERROR_BODY, 500), answer('', 503)]],
    ['by the platform refusing', [answer({ detail: 'Not authenticated' }, 401)]],
    ['by unknown fields', [answer({ ...RUNNING, extra: { deep: [1] } })]],
    ['by a charset', [answer(RUNNING, 200, { 'content-type': 'application/json; charset=utf-8' })]],
    ['by failures without an answer', [TIMED_OUT]],
    ['by a long wait for a worker', [at(0, QUEUED), at(60, QUEUED), at(61, lasting(0.5))]],
    ['by a short look at the work', [at(1, RUNNING), at(2, RUNNING), at(3, lasting(0.5))]],
    ['by what waited for a person', [at(1, PAUSED), at(900, PAUSED), at(901, DONE_AFTER_PAUSE)]],
    ['by an empty output after work', [answer(RUNNING), answer(EMPTY)]],
    ['by a result that is gone later', [answer(COMPLETED), answer(ERROR_BODY, 404)]],
  ])('%s', (_, answers) => {
    expect(rulesBroken(answers)).toEqual([])
  })

  test('by a kickoff with any sane id, and by one that is refused', () => {
    expect(kickoffRulesBroken(answer({ kickoff_id: 'abcd1234-ghij' }))).toEqual([])
    expect(kickoffRulesBroken(answer(ERROR_BODY, 422))).toEqual([])
    expect(kickoffRulesBroken(TIMED_OUT)).toEqual([])
  })
})

test('a rule broken again and again is told once an execution, by its first example', () => {
  const tracker = createTracker()
  for (const given of [running(3, 4), running(2, 4), running(1, 4)]) {
    checkStatus(tracker, given, readStatus(given))
  }
  expect(tracker.violations).toEqual([
    { rule: 'completed-tasks-never-decrease', example: '3 completed, then 2 of 4' },
  ])
})

test('examples are short, on one line and free of credentials', () => {
  const tracker = createTracker()
  const given = answer(`<html>\nBearer 1234abcd ${'x'.repeat(1_000_000)}`)
  checkStatus(tracker, given, readStatus(given))
  const [{ example } = { example: '' }] = tracker.violations
  expect(example).toMatch(/^<html> Bearer \[hidden\] x+…$/)
  expect(example).toHaveLength(EXCERPT_LENGTH)
})

test('the list tells all of each rule, under names of their own', () => {
  const names = CONTRACT_RULES.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const rule of CONTRACT_RULES) {
    expect(rule.name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    expect(rule.source).not.toBe('')
    expect(rule.requires).not.toMatch(/\.$/)
  }
})

/** An answer whose request was sent so many seconds after the kickoff. */
function at(seconds: number, body: unknown): Answer {
  const sentMicros = seconds * 1_000_000
  const timing = { releasedMicros: sentMicros, sentMicros, doneMicros: sentMicros }
  return { ...(answer(body) as WholeAnswer), timing: { ...timing, newConnection: false } }
}

function lasting(executionTime: number): unknown {
  return { ...COMPLETED, execution_time: executionTime }
}

function isDocumented(rule: string): boolean {
  return CONTRACT_RULES.find(({ name }) => name === rule)?.basis === 'documented'
}

function completedWith(result: unknown): Answer {
  return answer({ ...COMPLETED, result })
}

function rulesBroken(answers: readonly Answer[]): string[] {
  const tracker = createTracker()
  for (const given of answers) checkStatus(tracker, given, readStatus(given))
  return tracker.violations.map(({ rule }) => rule)
}

function kickoffRulesBroken(given: Answer): string[] {
  const tracker = createTracker()
  checkKickoff(tracker, given, readKickoff(given))
  return tracker.violations.map(({ rule }) => rule)
}

function running(completed: unknown, total: unknown): Answer {
  return answer({ ...RUNNING, progress: { completed_tasks: completed, total_tasks: total } })
}

function platform(progress: unknown): Answer {
  return answer({ ...PLATFORM, progress })
}
