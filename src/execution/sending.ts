/** Requests of one execution: asked for, paced, and repeated. */
import { assert } from '../base/assert.ts'
import type { Answer } from '../crew/answer.ts'
import { askedWaitMicros, retryAfterMicros } from '../crew/retry-after.ts'
import { backoffMicros } from '../scenario/backoff.ts'
import { nextIntervalMicros } from '../scenario/polling/index.ts'
import { isRetriable } from '../scenario/retry/retry.ts'
import type { Micros } from '../base/units.ts'
import type { Action } from './events.ts'
import { noteAsked, requestsOf } from './requests.ts'
import type { Execution } from './state.ts'

/**
 * Asks for the request of this stage. The deadline bounds its time-out: no answer is waited for
 * beyond it.
 */
export function send(
  execution: Execution,
  limitMicros: Micros,
  atMicros: Micros,
): readonly Action[] {
  const { shared, request, dueMicros, deadlineMicros, retries } = execution
  assert(request !== null, 'a request is built before it is sent')
  if (retries === 0) shared.retryBudget.countFirstAttempt(atMicros)
  const timeoutMicros = Math.min(limitMicros, deadlineMicros - atMicros)
  execution.releasedMicros = atMicros
  execution.clipped = timeoutMicros < limitMicros
  return [{ kind: 'send', request, intendedMicros: dueMicros, timeoutMicros }]
}

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
 * Moves `dueMicros` to when the same request may be sent again. False when it may not: the answer
 * is not of that kind, the retries of this request or of the run are used up, or the deadline would
 * come first.
 */
export function scheduleRetry(execution: Execution, answer: Answer): boolean {
  const { shared, retries, record } = execution
  const { retry } = shared.plan
  const operation = record.acceptedMicros === null ? 'kickoff' : 'status'
  const allowed = operation === 'kickoff' ? retry.kickoffRetries : retry.statusRetries
  if (retries >= allowed || !isRetriable(operation, answer, retry)) return false
  const random = shared.random.fork('retry', record.index).fork(operation, requestsOf(execution))
  const backoff = backoffMicros(retry.backoff, retries, execution.backoffMicros, random)
  const { doneMicros } = answer.timing
  const dueMicros = doneMicros + Math.max(backoff, heededWait(execution))
  if (dueMicros >= execution.deadlineMicros || !shared.retryBudget.take(doneMicros)) return false
  execution.retries++
  execution.backoffMicros = backoff
  execution.dueMicros = dueMicros
  return true
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

function heededWait({ shared, askedMicros }: Execution): Micros {
  return shared.plan.honourRetryAfter ? askedMicros : 0
}
