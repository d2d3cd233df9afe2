/** Requests of one execution: asked for, paced, and repeated. */
import { assert } from '../assert.ts'
import type { Answer } from '../crew/answer.ts'
import { askedWaitMicros, retryAfterMicros } from '../crew/retry-after.ts'
import { backoffMicros } from '../scenario/backoff.ts'
import { nextIntervalMicros } from '../scenario/polling/index.ts'
import { isRetriable } from '../scenario/retry.ts'
import type { Micros } from '../units.ts'
import type { Action } from './events.ts'
import { requestsOf } from './requests.ts'
import type { Execution } from './state.ts'

/** Asks for the request of this stage. The deadline bounds its time-out: no answer is waited for beyond it. */
export function send(
  execution: Execution,
  limitMicros: Micros,
  atMicros: Micros,
): readonly Action[] {
  const { shared, request, dueMicros, deadlineMicros, retries } = execution
  assert(request !== null, 'a request is built before it is sent')
  if (retries === 0) shared.retryBudget.countFirstAttempt()
  const timeoutMicros = Math.min(limitMicros, deadlineMicros - atMicros)
  execution.releasedMicros = atMicros
  execution.clipped = timeoutMicros < limitMicros
  return [{ kind: 'send', request, intendedMicros: dueMicros, timeoutMicros }]
}

/** The next poll is intended one interval after the answer before, never earlier than the target asks for. */
export function pauseBeforePoll(
  execution: Execution,
  doneMicros: Micros,
  askedMicros: Micros,
): Action {
  const { pace, record, shared } = execution
  pace.elapsedMicros = doneMicros - (record.acceptedMicros ?? doneMicros)
  const interval = nextIntervalMicros(shared.plan.polling, pace, execution.pollingRandom)
  pace.intervals++
  pace.previousMicros = interval
  execution.retries = 0
  execution.backoffMicros = 0
  execution.stage = 'pausing'
  execution.dueMicros = doneMicros + Math.max(interval, askedMicros)
  return wake(execution)
}

/** At the next request, or at the deadline when that comes first. */
export function wake({ dueMicros, deadlineMicros }: Execution): Action {
  return { kind: 'wake', atMicros: Math.min(dueMicros, deadlineMicros) }
}

/**
 * Moves `dueMicros` to when the same request may be sent again. False when it may not: the answer is not of that kind, the retries of
 * this request or of the run are used up, or the deadline would come first.
 */
export function scheduleRetry(execution: Execution, answer: Answer): boolean {
  const { shared, retries, record } = execution
  const { retry } = shared.plan
  const operation = record.acceptedMicros === null ? 'kickoff' : 'status'
  const allowed = operation === 'kickoff' ? retry.kickoffRetries : retry.statusRetries
  if (retries >= allowed || !isRetriable(operation, answer)) return false
  const random = shared.random.fork('retry', record.index).fork(operation, requestsOf(execution))
  const backoff = backoffMicros(retry.backoff, retries, execution.backoffMicros, random)
  const dueMicros = answer.timing.doneMicros + Math.max(backoff, askedWait(execution, answer))
  if (dueMicros >= execution.deadlineMicros || !shared.retryBudget.take()) return false
  execution.retries++
  execution.backoffMicros = backoff
  execution.dueMicros = dueMicros
  return true
}

/**
 * Microseconds that the answer asks us to wait; 0 when it does not, or when the plan says not to listen. The quotas that an accepted
 * kickoff tells are those of kickoffs: only its `Retry-After` speaks to the poll that follows.
 */
export function askedWait(execution: Execution, answer: Answer): Micros {
  const { shared, record, kickoffs } = execution
  if (answer.kind === 'failure' || !shared.plan.honourRetryAfter) return 0
  const accepting = requestsOf(execution) === kickoffs && record.acceptedMicros !== null
  return (accepting ? retryAfterMicros(answer.headers) : askedWaitMicros(answer.headers)) ?? 0
}
