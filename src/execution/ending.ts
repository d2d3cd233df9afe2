/** Ends an execution with one outcome and a reason. */
import { unreachable } from '../base/assert.ts'
import type { AnswerCode } from '../crew/observation.ts'
import { isSuccess } from '../crew/read.ts'
import type { Micros } from '../base/units.ts'
import type { Action } from './events.ts'
import type { EndReason } from './record/reason.schema.ts'
import type { Outcome } from './record/record.ts'
import { fillColumns } from './request-notes.ts'
import type { Execution } from './state.ts'

export function end(
  execution: Execution,
  outcome: Outcome,
  reason: EndReason | null,
  atMicros: Micros,
): readonly Action[] {
  const { record, tracker } = execution
  execution.stage = 'ended'
  execution.inputs = null
  record.outcome = outcome
  record.reason = reason
  record.endedMicros = atMicros
  record.violations = tracker.violations
  fillColumns(execution)
  return [{ kind: 'end', record }]
}

/**
 * The deadline passed: `stuck` if the target was readable to the end, `paused` if it was asking a
 * person, otherwise `unreadable`; `lost` if it did not know the execution.
 */
export function endAtDeadline(execution: Execution, atMicros: Micros): readonly Action[] {
  const { lastPhase, lastCode } = execution
  switch (lastPhase) {
    case null:
      return end(execution, 'stuck', { code: 'never-polled' }, atMicros)
    case 'running':
      return end(execution, 'stuck', null, atMicros)
    case 'paused':
      if (!isStillAsked(execution)) return end(execution, 'stuck', null, atMicros)
      return end(execution, 'paused', { code: 'paused' }, atMicros)
    case 'not-found': {
      const waiting = isStillAsked(execution) ? 'paused' : 'stuck'
      const outcome = asksUnseen(execution) ? waiting : 'lost'
      if (outcome === 'paused') execution.record.lastNotDoneSentMicros = execution.hiddenSentMicros
      return end(execution, outcome, notFoundReason(execution), atMicros)
    }
    case 'completed':
    case 'failed':
    case 'limited':
    case 'denied':
    case 'server-error':
    case 'unreadable':
    case 'unexpected':
    case 'no-answer':
      return end(execution, 'unreadable', answered(lastCode!), atMicros)
    default:
      return unreachable(lastPhase)
  }
}

/**
 * Whether "not found" means that a person is being asked: the plan says that the crew asks people,
 * and the execution was seen at work. Of a resumed one, the polls that may have seen it are
 * missing.
 */
export function asksUnseen({ shared, record }: Execution): boolean {
  return shared.plan.human && (record.lastNotDoneSentMicros !== null || record.resumed)
}

/** The crew accepted the answer for the person whom polls saw last. */
export function isAnswered({ record }: Pick<Execution, 'record'>): boolean {
  const code = record.people?.at(-1)?.answer?.code
  return typeof code === 'number' && isSuccess(code)
}

/** A 404, or the platform's equivalent with a 200. */
export function notFoundReason({ lastCode }: Execution): EndReason {
  return lastCode === 404 ? answered(404) : { code: 'not-found' }
}

/** No answer was accepted, or a poll that was sent after it saw the question all the same. */
function isStillAsked({ record, hiddenSentMicros }: Execution): boolean {
  const answer = record.people?.at(-1)?.answer
  const seenMicros = hiddenSentMicros ?? record.lastNotDoneSentMicros ?? -Infinity
  return !isAnswered({ record }) || seenMicros >= answer!.doneMicros
}

export function answered(answer: AnswerCode): EndReason {
  return { code: 'answer', answer }
}
