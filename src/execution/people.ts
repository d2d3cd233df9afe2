/** People whom the crew asks: when polls saw it, and what the run answers for them. */
import { assert } from '../base/assert.ts'
import type { Micros } from '../base/units.ts'
import type { Answer } from '../crew/answer.ts'
import type { AnswerCode, StatusObservation } from '../crew/observation.ts'
import type { ResumeForm } from '../crew/crew-request.ts'
import { resumeRequest } from '../crew/crew-request.ts'
import { askedWaitMicros } from '../crew/retry-after.ts'
import { backoffMicros } from '../scenario/backoff.ts'
import { isGivenUp, isRetriable } from '../scenario/retry.ts'
import { answered, asksUnseen, end, isAnswered } from './ending.ts'
import type { Action } from './events.ts'
import { correlationOf } from './kickoff.ts'
import { wake } from './poll-time.ts'
import type { AskedPerson, ExecutionRecord } from './record/record.ts'
import { addRow, emptyColumns } from './record/columns.ts'
import { requestRowOf } from './request-notes.ts'
import type { Execution, ReplyState } from './state.ts'

/** The status of an answer in the form that the crew does not take. */
const WRONG_FORM = 422

/**
 * What a poll says about people. No dialect numbers questions: one that is still seen after an
 * accepted answer is the same one until something has changed, as a crew may take effect later.
 */
export function watchPeople(
  execution: Execution,
  { phase }: StatusObservation,
  doneMicros: Micros,
): void {
  const { record } = execution
  const open = openQuestion(execution)
  if (phase === 'running' || phase === 'completed' || phase === 'failed') {
    if (open !== undefined) open.goneMicros = doneMicros
    execution.answerMicros = Infinity
  } else if (phase === 'paused' || (phase === 'not-found' && asksUnseen(execution))) {
    if (open !== undefined && !isAnswered(execution)) {
      return repeatAnswer(execution, open, doneMicros)
    }
    if (open?.answer !== undefined) {
      if (!hasMoved(record, open)) return
      open.goneMicros = open.answer.doneMicros
    }
    const named = record.changes.findLast((change) => change.task !== null)?.task
    const task = named ?? execution.formerTask
    record.people = [...(record.people ?? []), { task, seenMicros: doneMicros, goneMicros: null }]
    const { people } = execution.shared.plan
    // Without its task nobody can answer: the question stays open.
    if (people === undefined || (people.task ?? task) === null) return
    Object.assign(replyOf(execution), { retries: 0, backoffMicros: 0, askedMicros: 0 })
    execution.answerMicros = doneMicros + people.afterMicros
  }
}

function replyOf(execution: Execution): ReplyState {
  const first = { retries: 0, backoffMicros: 0, askedMicros: 0, accepted: 0 }
  return (execution.reply ??= { ...first, form: 'documented' })
}

/** The one that polls have not seen gone; undefined for none. */
function openQuestion({ record }: Execution): AskedPerson | undefined {
  const last = record.people?.at(-1)
  return last?.goneMicros === null ? last : undefined
}

/** Whether another task, or another count of completed ones, was named since the question. */
function hasMoved({ changes }: ExecutionRecord, { task, seenMicros }: AskedPerson): boolean {
  const before = changes.findLast((change) => change.atMicros <= seenMicros)?.completed ?? null
  return changes.some(
    (change) =>
      change.atMicros > seenMicros &&
      (differ(change.task, task) || differ(change.completed, before)),
  )
}

/** What one of them does not tell is no difference. */
function differ<T>(one: T | null, other: T | null): boolean {
  return one !== null && other !== null && one !== other
}

/** An answer that may not have arrived is given again while a person is still asked. */
function repeatAnswer(execution: Execution, { answer }: AskedPerson, seenMicros: Micros): void {
  if (answer === undefined || execution.answerMicros < Infinity) return
  if (isClientError(answer.code)) return
  scheduleAgain(execution, answer.doneMicros, seenMicros)
}

function isClientError(code: AnswerCode): boolean {
  return typeof code === 'number' && code >= 400 && code < 500
}

/** Retries are those of a kickoff. */
function isLastTry(execution: Execution): boolean {
  return replyOf(execution).retries >= execution.shared.plan.retry.kickoffRetries
}

/** Its time has come, and no other request is outstanding. */
export function sendAnswer(execution: Execution, atMicros: Micros): readonly Action[] {
  const { shared, record, deadlineMicros, inputs, answerMicros } = execution
  const { people, http } = shared.plan
  const open = openQuestion(execution)
  assert(people !== undefined && open !== undefined, 'an answer has a question')
  const { approve, feedback } = answerOf(execution)
  const reply = replyOf(execution)
  reply.form = formOf(execution)
  if (reply.retries === 0) shared.retryBudget.countFirstAttempt(atMicros)
  const request = resumeRequest({
    index: record.index,
    kickoffId: record.kickoffId!,
    taskId: (people.task ?? open.task)!,
    approve,
    feedback,
    form: reply.form,
    members: inputs?.members,
    correlation: correlationOf(execution),
  })
  execution.stage = 'resuming'
  execution.releasedMicros = atMicros
  const timeoutMicros = Math.min(http.requestTimeoutMicros, deadlineMicros - atMicros)
  return [{ kind: 'send', request, intendedMicros: answerMicros, timeoutMicros }]
}

function answerOf(execution: Execution): { approve: boolean; feedback: string } {
  const said = execution.shared.plan.people!.answers
  return said[Math.min(replyOf(execution).accepted, said.length - 1)]!
}

/** Live deployments take another form than the document says. */
function formOf({ shared, record }: Execution): ResumeForm {
  return shared.resumeForm ?? (record.dialect === 'platform' ? 'live' : 'documented')
}

/** Accepted: the next poll shows what becomes of it. Refused: polls go on, and nobody is asked. */
export function onResumeAnswer(execution: Execution, answer: Answer): readonly Action[] {
  const { shared } = execution
  const reply = replyOf(execution)
  const { doneMicros } = answer.timing
  const code = answer.kind === 'failure' ? answer.class : answer.status
  noteAnswer(execution, code, answer)
  reply.askedMicros = heededBy(execution, answer)
  if (isGivenUp(answer)) return end(execution, 'aborted', answered(code), doneMicros)
  const open = openQuestion(execution)!
  execution.stage = 'pausing'
  if (code === WRONG_FORM && shared.plan.people!.form === null && open.answer === undefined) {
    open.answer = { approve: answerOf(execution).approve, code, doneMicros }
    shared.resumeForm = reply.form === 'live' ? 'documented' : 'live'
    execution.answerMicros = doneMicros
    return [wake(execution)]
  }
  const isSure = isRetriable('resume', answer, shared.plan.retry)
  if (isSure && scheduleAgain(execution, doneMicros, doneMicros)) return [wake(execution)]
  open.answer = { approve: answerOf(execution).approve, code, doneMicros }
  execution.answerMicros = Infinity
  if (isAnswered(execution)) reply.accepted++
  return [wake(execution)]
}

/**
 * Moves the answer to the time of its retry, which is not before `now`; false if there is none.
 * Once the budget has refused one, the same answer is not sent again.
 */
function scheduleAgain(execution: Execution, failedMicros: Micros, now: Micros): boolean {
  const { shared, record } = execution
  const reply = replyOf(execution)
  const { retry } = shared.plan
  if (isLastTry(execution)) return false
  const random = shared.random.fork('retry', record.index).fork('resume', resumesOf(execution))
  const backoff = backoffMicros(retry.backoff, reply.retries, reply.backoffMicros, random)
  const waitMicros = Math.max(backoff, reply.askedMicros)
  const againMicros = Math.max(now, failedMicros + waitMicros)
  if (againMicros >= execution.deadlineMicros) return false
  if (!shared.retryBudget.take(now)) {
    reply.askedMicros = Infinity
    return false
  }
  reply.retries++
  reply.backoffMicros = backoff
  execution.answerMicros = againMicros
  return true
}

/** How long the crew asks to wait before the answer is sent again; 0 if the plan ignores it. */
function heededBy({ shared }: Execution, answer: Answer): Micros {
  if (answer.kind === 'failure' || !shared.plan.honourRetryAfter) return 0
  return askedWaitMicros(answer.headers, shared.unixMs) ?? 0
}

function resumesOf({ record }: Execution): number {
  return record.resumes?.answer.length ?? 0
}

function noteAnswer(
  execution: Execution,
  code: AnswerCode,
  { timing }: Pick<Answer, 'timing'>,
): void {
  const { record, answerMicros } = execution
  const { intendedMicros } = record
  const isRetry = replyOf(execution).retries > 0
  const basis = { dueMicros: answerMicros, intendedMicros, isRetry }
  record.resumes ??= emptyColumns()
  addRow(record.resumes, requestRowOf(basis, code, timing))
}

/** The run stops while the answer is outstanding: it may have reached the target. */
export function noteCancelledAnswer(execution: Execution, atMicros: Micros): void {
  const { releasedMicros } = execution
  const timing = { releasedMicros, sentMicros: releasedMicros, doneMicros: atMicros }
  noteAnswer(execution, 'cancelled', { timing: { ...timing, newConnection: false } })
}
