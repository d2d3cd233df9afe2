/** When the next poll is due: the polling strategy, and what the target asks for. */
import type { Micros } from '../base/units.ts'
import type { Answer } from '../crew/answer.ts'
import { askedWaitMicros, retryAfterMicros } from '../crew/retry-after.ts'
import { nextIntervalMicros } from '../scenario/polling/index.ts'
import type { Action } from './events.ts'
import { noteAsked } from './requests.ts'
import type { Execution } from './state.ts'

/**
 * The next poll is intended one interval after the answer before, never earlier than the target
 * asks for.
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

/** At the next request, or at the deadline when that comes first. */
export function wake({ dueMicros, deadlineMicros }: Execution): Action {
  return { kind: 'wake', atMicros: Math.min(dueMicros, deadlineMicros) }
}

/**
 * Keeps how long the answer just noted asks us to wait, whether the plan listens or not.
 * `accepting`: the quotas that an accepted kickoff tells are those of kickoffs; only its
 * `Retry-After` speaks to the poll that follows.
 */
export function hearWait(execution: Execution, answer: Answer, accepting = false): void {
  const read = accepting ? retryAfterMicros : askedWaitMicros
  const micros = answer.kind === 'answer' ? (read(answer.headers) ?? 0) : 0
  execution.askedMicros = micros
  if (micros > 0) noteAsked(execution, micros)
}

/** None where the plan does not listen. */
export function heededWait({ shared, askedMicros }: Execution): Micros {
  return shared.plan.honourRetryAfter ? askedMicros : 0
}
