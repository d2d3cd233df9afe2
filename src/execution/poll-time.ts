/**
 * Computes when the next poll is due, from the polling strategy and the waits that the target asks
 * for.
 */
import type { Micros } from '../base/units.ts'
import type { Answer } from '../crew/answer.ts'
import { isSuccess } from '../crew/read.ts'
import { askedWaitMicros, asksByField, isExhausted, retryAfterMicros } from '../crew/retry-after.ts'
import { nextIntervalMicros } from '../scenario/polling/index.ts'
import type { Action } from './events.ts'
import { noteAsked } from './request-notes.ts'
import type { Execution } from './state.ts'

/**
 * The next poll is due one interval after the previous answer, never earlier than the target asks
 * for.
 */
export function pauseBeforePoll(execution: Execution, doneMicros: Micros): Action {
  const { pace, record, shared } = execution
  pace.elapsedMicros = doneMicros - (record.acceptedMicros ?? doneMicros)
  const interval = nextIntervalMicros(shared.plan.polling, pace, execution.pollingRandom)
  pace.intervals++
  pace.previousMicros = interval
  execution.retries = 0
  execution.backoffMicros = 0
  execution.stage = 'pausing'
  execution.dueMicros = doneMicros + Math.max(interval, heededWait(execution))
  return wake(execution)
}

/** Wakes at the next request, or at the deadline if that comes first. */
export function wake({ dueMicros, answerMicros, deadlineMicros }: Execution): Action {
  return { kind: 'wake', atMicros: Math.min(dueMicros, answerMicros, deadlineMicros) }
}

/**
 * Records how long the last answer asks to wait, whether or not the plan honours it. `accepting`:
 * the quotas in the answer to an accepted kickoff are those of kickoffs; only its `Retry-After`
 * applies to the next poll. A `Retry-After` beside an answer that refuses nothing, while something
 * of the quota remains, is only a hint (limiters such as slowapi write it on every answer): the
 * plan's interval counts, unless it obeys hints.
 */
export function hearWait(execution: Execution, answer: Answer, accepting = false): void {
  execution.askedMicros = 0
  if (answer.kind === 'failure') return
  const { headers, status } = answer
  const { plan, unixMs } = execution.shared
  const micros = (accepting ? retryAfterMicros : askedWaitMicros)(headers, unixMs) ?? 0
  if (micros === 0) return
  const isHint = isSuccess(status) && asksByField(headers) && (accepting || !isExhausted(headers))
  if (!isHint || plan.polling.hint === 'obey') execution.askedMicros = micros
  noteAsked(execution, micros, isHint)
}

/** No wait if the plan does not honour it. */
export function heededWait({ shared, askedMicros }: Execution): Micros {
  return shared.plan.honourRetryAfter ? askedMicros : 0
}
