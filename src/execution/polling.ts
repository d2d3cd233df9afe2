/** Follows one accepted execution: what each status answer means for it. */
import { unreachable } from '../base/assert.ts'
import type { Answer } from '../crew/answer.ts'
import { checkRepeated, checkStatus } from '../crew/contract/contract.ts'
import { excerpt } from '../crew/excerpt.ts'
import type { StatusObservation } from '../crew/observation.ts'
import type { Micros } from '../base/units.ts'
import { answered, asksUnseen, end, notFoundReason } from './ending.ts'
import type { Action } from './events.ts'
import type { ExecutionRecord } from './record/record.ts'
import { noteRequest } from './request-notes.ts'
import { watchPeople } from './people.ts'
import { hearWait, pauseBeforePoll, wake } from './poll-time.ts'
import { scheduleRetry, send } from './sending.ts'
import type { Execution, UnseenStretch } from './state.ts'
import { fingerprint } from '../base/fingerprint.ts'
import { thrownWords } from '../scenario/author/call.ts'
import type { CompletedExecution } from '../scenario/plan.ts'
import { utf8Length } from '../base/utf8.ts'

const NO_PROGRESS = { task: null, completed: null, total: null }

export function sendPoll(execution: Execution, atMicros: Micros): readonly Action[] {
  execution.stage = 'polling'
  return send(execution, execution.shared.plan.http.requestTimeoutMicros, atMicros)
}

export function onPollAnswer(execution: Execution, answer: Answer): readonly Action[] {
  const { record, shared, tracker } = execution
  const seen = shared.readings.read(answer)
  noteRequest(execution, seen.code, answer.timing)
  hearWait(execution, answer)
  if (seen === execution.lastReading) return onRepeated(execution, answer, seen)
  execution.lastReading = seen.interned ? seen : null
  checkStatus(tracker, answer, seen)
  record.dialect = tracker.dialect ?? record.dialect ?? seen.dialect
  learn(execution, answer, seen)
  if (seen.usage !== null) record.reported = { ...record.reported, usage: seen.usage }
  if (!noteNews(record, seen, answer.timing.doneMicros)) record.wastedPolls++
  watchPeople(execution, seen, answer.timing.doneMicros)
  return react(execution, answer, seen)
}

/** The execution goes on as the last answer said: no rule can be violated that was not before. */
function onRepeated(
  execution: Execution,
  answer: Answer,
  seen: StatusObservation,
): readonly Action[] {
  checkRepeated(execution.tracker, seen, answer.timing)
  execution.record.lastNotDoneSentMicros = answer.timing.sentMicros ?? answer.timing.releasedMicros
  execution.record.wastedPolls++
  watchPeople(execution, seen, answer.timing.doneMicros)
  return goOn(execution, answer)
}

/** A time-out that the deadline shortened says nothing about the target if answers came before. */
function learn(execution: Execution, answer: Answer, seen: StatusObservation): void {
  if (execution.lastPhase !== null && isCutShort(execution, seen)) return
  execution.lastPhase = seen.phase
  execution.lastCode = seen.code
  execution.stretch = stretchAfter(execution, seen, answer.timing.doneMicros)
  const sentMicros = answer.timing.sentMicros ?? answer.timing.releasedMicros
  if (seen.phase === 'not-found') execution.hiddenSentMicros = sentMicros
  if (seen.phase !== 'running' && seen.phase !== 'paused') return
  execution.hiddenSentMicros = null
  execution.record.lastNotDoneSentMicros = sentMicros
  execution.pace.completedTasks = seen.completedTasks
}

/** The request may have hit the separate limit for opening a connection first. */
function isCutShort(execution: Execution, { code }: StatusObservation): boolean {
  const { clipped, deadlineMicros, releasedMicros, shared } = execution
  if (!clipped) return false
  const leftMicros = deadlineMicros - releasedMicros
  return (
    code === 'timeout' ||
    (code === 'connect-timeout' && leftMicros < shared.plan.http.connectTimeoutMicros)
  )
}

/**
 * True if the answer reported a change: a final state, or progress different from the last report.
 */
function noteNews(record: ExecutionRecord, seen: StatusObservation, doneMicros: Micros): boolean {
  if (seen.phase === 'completed' || seen.phase === 'failed') return true
  if (seen.phase !== 'running' && seen.phase !== 'paused') return false
  const { completedTasks: completed, totalTasks: total } = seen
  const last = record.changes.at(-1) ?? NO_PROGRESS
  const task = seen.task === null || seen.task === last.task ? seen.task : excerpt(seen.task)
  if (last.task === task && last.completed === completed && last.total === total) return false
  addChange(record, { atMicros: doneMicros, task, completed, total })
  return true
}

/** An array that `push` lengthens has room for 17 more; most executions have a few changes. */
const FEW_CHANGES = 32

function addChange(record: ExecutionRecord, change: ExecutionRecord['changes'][number]): void {
  if (record.changes.length < FEW_CHANGES) record.changes = record.changes.concat(change)
  else record.changes.push(change)
}

function react(execution: Execution, answer: Answer, seen: StatusObservation): readonly Action[] {
  const { doneMicros } = answer.timing
  switch (seen.phase) {
    case 'completed':
      return endCompleted(execution, seen, doneMicros)
    case 'failed':
      return endFailed(execution, seen, doneMicros)
    case 'not-found':
      if (asksUnseen(execution) || isForgiven(execution, doneMicros)) {
        return goOn(execution, answer)
      }
      return end(execution, 'lost', notFoundReason(execution), doneMicros)
    case 'denied':
      if (execution.askedMicros > 0 || isForgiven(execution, doneMicros)) {
        return goOn(execution, answer)
      }
      return end(execution, 'unreadable', answered(seen.code), doneMicros)
    case 'no-answer':
      if (seen.code !== 'cancelled') return goOn(execution, answer)
      return end(execution, 'aborted', answered('cancelled'), doneMicros)
    case 'running':
    case 'paused':
    case 'limited':
    case 'server-error':
    case 'unreadable':
    case 'unexpected':
      return goOn(execution, answer)
    default:
      return unreachable(seen.phase)
  }
}

/**
 * A readable answer ends such a period, and "not found" ends a period of denials, or the reverse.
 * Everything else says nothing about the execution, including a rate limiter's 403: the period
 * continues.
 */
function stretchAfter(
  { stretch, askedMicros }: Execution,
  { phase }: StatusObservation,
  doneMicros: Micros,
): UnseenStretch | null {
  switch (phase) {
    case 'running':
    case 'paused':
    case 'completed':
    case 'failed':
      return null
    case 'not-found':
      return stretch?.phase === phase ? stretch : { phase, sinceMicros: doneMicros }
    case 'denied':
      if (askedMicros > 0 || stretch?.phase === phase) return stretch
      return { phase, sinceMicros: doneMicros }
    case 'limited':
    case 'server-error':
    case 'unreadable':
    case 'unexpected':
    case 'no-answer':
      return stretch
    default:
      return unreachable(phase)
  }
}

/**
 * A period shorter than the grace does not end the execution, whatever its age. With a grace of 0,
 * the first such answer does.
 */
function isForgiven({ stretch, shared }: Execution, doneMicros: Micros): boolean {
  const { notFoundGraceMicros: graceMicros } = shared.plan
  if (stretch === null) return true
  return graceMicros > 0 && doneMicros - stretch.sinceMicros <= graceMicros
}

/** Polls again: after the retry delay if a retry may help, otherwise after the polling interval. */
function goOn(execution: Execution, answer: Answer): readonly Action[] {
  if (scheduleRetry(execution, answer)) {
    execution.stage = 'pausing'
    return [wake(execution)]
  }
  return [pauseBeforePoll(execution, answer.timing.doneMicros)]
}

/**
 * Completed: keeps the target's report, size and hash of the output, and the results of the user's
 * checks.
 */
function endCompleted(
  execution: Execution,
  seen: StatusObservation,
  doneMicros: Micros,
): readonly Action[] {
  const { record } = execution
  keepReported(execution, seen, doneMicros)
  if (seen.output !== null) record.output = measureOutput(seen.output)
  record.checks = runChecks(execution, seen)
  return end(execution, 'completed', null, doneMicros)
}

function endFailed(
  execution: Execution,
  seen: StatusObservation,
  doneMicros: Micros,
): readonly Action[] {
  keepReported(execution, seen, doneMicros)
  const { error } = seen
  const reason = error === null ? null : ({ code: 'crew-error', text: excerpt(error) } as const)
  return end(execution, 'failed', reason, doneMicros)
}

/** Where the crew asks people, an end proves that the execution was only hidden before it. */
function keepReported(execution: Execution, seen: StatusObservation, doneMicros: Micros): void {
  const { record, hiddenSentMicros } = execution
  if (hiddenSentMicros !== null && asksUnseen(execution)) {
    record.lastNotDoneSentMicros = hiddenSentMicros
  }
  record.firstDoneReceivedMicros = doneMicros
  record.reported = {
    ...record.reported,
    executionTimeSeconds: seen.executionTimeSeconds,
    tasks: seen.tasks.map(({ taskId, agent, executionTimeSeconds }) => ({
      taskId: excerpt(taskId),
      agent: excerpt(agent),
      executionTimeSeconds,
    })),
  }
}

function measureOutput(output: string): { bytes: number; hash: string } {
  return { bytes: utf8Length(output), hash: fingerprint(output) }
}

/** An exception in the user's check is data too: its message. */
function runChecks(
  execution: Execution,
  seen: StatusObservation,
): Record<string, boolean | string> {
  const { checks } = execution.shared.plan
  if (checks.length === 0) return {}
  const completed: CompletedExecution = {
    index: execution.record.index,
    inputs: execution.inputs?.inputs ?? {},
    output: seen.output ?? '',
    tasks: seen.tasks,
    executionTimeSeconds: seen.executionTimeSeconds,
  }
  const results = checks.map((check) => {
    try {
      const passed: unknown = check.passes(completed)
      return [check.name, passed === true] as const
    } catch (error) {
      return [check.name, thrownWords(error)] as const
    }
  })
  return Object.fromEntries(results)
}
