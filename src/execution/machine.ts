/**
 * One kickoff and all that follows, as a state machine: (execution, event) -> actions. It uses no
 * clock, network or timer.
 */
import { unreachable } from '../base/assert.ts'
import type { Micros } from '../base/units.ts'
import type { Answer } from '../crew/answer.ts'
import type { CrewRequest } from '../crew/crew-request.ts'
import { checkStatus } from '../crew/contract/contract.ts'
import { isFinal } from '../scenario/outcomes.ts'
import { readStatus } from '../crew/read.ts'
import { answered, end, endAtDeadline } from './ending.ts'
import type { Action, ExecutionEvent } from './events.ts'
import { begin, onKickoffAnswer, outcomeWithoutId, sendKickoff } from './kickoff.ts'
import type { EndReason } from './record/reason.schema.ts'
import type { Violation } from './record/record.ts'
import { noteRequest } from './request-notes.ts'
import { wake } from './poll-time.ts'
import type { Execution } from './state.ts'
import { noteCancelledAnswer, onResumeAnswer, sendAnswer } from './people.ts'
import { onPollAnswer, sendPoll } from './polling.ts'

export type { Action, ExecutionEvent } from './events.ts'
export { kickoffColumns } from './request-notes.ts'
export { createShared } from './state.ts'
export type { SharedState } from './state.ts'
export { createExecution, takeRecord, unsentRecord } from './state.ts'
export type { DueArrival, Execution } from './state.ts'
export { isUnsent, notReached, TURNED_AWAY } from './record/unsent.ts'
export type { Unsent } from './record/unsent.ts'

const NOTHING: readonly Action[] = []

/**
 * Tells the execution what happened and returns the actions to perform, in order. It modifies
 * `execution` (with thousands in flight, a new state per event would be garbage). Whatever the
 * events, exactly one `end` is returned once it was stopped or its deadline passed, nothing after
 * it, and at most one request is outstanding. An unexpected answer is ignored.
 */
export function advance(execution: Execution, event: ExecutionEvent): readonly Action[] {
  if (execution.stage === 'ended') return NOTHING
  switch (event.kind) {
    case 'due':
      return onDue(execution, event.atMicros)
    case 'answer':
      if (execution.stage === 'kickoff') return onKickoffAnswer(execution, event.answer)
      if (execution.stage === 'polling') return onPollAnswer(execution, event.answer)
      if (execution.stage === 'resuming') return onResumeAnswer(execution, event.answer)
      return NOTHING
    case 'stop':
      return onStop(execution, event)
    case 'refused':
      return onRefused(execution, event.reason, event.atMicros)
    default:
      return unreachable(event)
  }
}

function onDue(execution: Execution, atMicros: Micros): readonly Action[] {
  const { stage, dueMicros, deadlineMicros } = execution
  switch (stage) {
    case 'waiting':
      return begin(execution, atMicros)
    case 'retrying':
      if (atMicros >= deadlineMicros) return endWithoutId(execution, atMicros)
      return atMicros < dueMicros ? [wake(execution)] : sendKickoff(execution, atMicros)
    case 'pausing':
      if (atMicros >= deadlineMicros) return endAtDeadline(execution, atMicros)
      if (atMicros >= execution.answerMicros) return sendAnswer(execution, atMicros)
      return atMicros < dueMicros ? [wake(execution)] : sendPoll(execution, atMicros)
    case 'kickoff':
    case 'polling':
    case 'resuming':
    case 'ended':
      return NOTHING
    default:
      return unreachable(stage)
  }
}

/** A request still outstanding is recorded as cancelled; it may have reached the target if sent. */
function onStop(
  execution: Execution,
  { atMicros, reason, isUnsent = false }: Extract<ExecutionEvent, { kind: 'stop' }>,
): readonly Action[] {
  const { stage, record, releasedMicros } = execution
  if (stage === 'waiting') return end(execution, 'notReached', reason, atMicros)
  if (stage === 'kickoff' || stage === 'polling') {
    const sentMicros = isUnsent ? null : releasedMicros
    const timing = { releasedMicros, sentMicros, doneMicros: atMicros }
    noteRequest(execution, 'cancelled', { ...timing, newConnection: false })
    if (stage === 'kickoff') {
      execution.kickoffs++
      record.sentMicros = sentMicros ?? record.sentMicros
    } else record.wastedPolls++
  }
  if (stage === 'resuming') noteCancelledAnswer(execution, atMicros)
  return end(execution, 'aborted', reason, atMicros)
}

/**
 * The budget is spent: a first kickoff was never sent; a retried one had its answer already;
 * without polls, an execution cannot be followed.
 */
function onRefused(execution: Execution, reason: EndReason, atMicros: Micros): readonly Action[] {
  const { stage, kickoffs } = execution
  if (stage === 'polling' || stage === 'resuming') {
    return end(execution, 'aborted', reason, atMicros)
  }
  if (stage !== 'kickoff') return NOTHING
  return kickoffs === 0
    ? end(execution, 'notReached', reason, atMicros)
    : endWithoutId(execution, atMicros)
}

/** No time or budget is left to retry the kickoff: its last answer stands. */
function endWithoutId(execution: Execution, atMicros: Micros): readonly Action[] {
  return end(execution, outcomeWithoutId(execution), answered(execution.requests.last!), atMicros)
}

/**
 * The request that confirms that a final state stays final, right after it and at the end of the
 * run; null for executions outside the seeded share (`plan.confirmShare`) or not ended as
 * `completed` or `failed`. Repeated calls give the same answer. The final state of all others is
 * let go.
 */
export function confirmationRequest(execution: Execution): CrewRequest | null {
  const { shared, record, stage, request, tracker } = execution
  if (stage !== 'ended' || !isFinal(record.outcome)) return null
  const chosen = shared.random.fork('confirm', record.index).next() < shared.plan.confirmShare
  if (!chosen) {
    tracker.final = null
    return null
  }
  tracker.final?.condense()
  return request
}

/**
 * What the answer to a confirmation violates of the contract: rules that this execution had not
 * violated before.
 */
export function confirm({ tracker }: Execution, answer: Answer): Violation[] {
  const known = tracker.violations.length
  checkStatus(tracker, answer, readStatus(answer))
  return tracker.violations.slice(known)
}
