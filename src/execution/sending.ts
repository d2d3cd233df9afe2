/** Sends the request of one execution. */
import { assert } from '../base/assert.ts'
import type { Micros } from '../base/units.ts'
import type { Action } from './events.ts'
import type { Execution } from './state.ts'
import type { Answer } from '../crew/answer.ts'
import { backoffMicros } from '../scenario/backoff.ts'
import { isRetriable } from '../scenario/retry.ts'
import { heededWait } from './poll-time.ts'

/**
 * Requests the send of this stage. The deadline limits its time-out: no answer is awaited beyond
 * it.
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
 * Moves `dueMicros` to the time of the retry. Returns false if there is none: the answer is not
 * retryable, the retries of this request or of the run are used up, or the deadline would come
 * first.
 */
export function scheduleRetry(execution: Execution, answer: Answer): boolean {
  const { shared, retries, record } = execution
  const { retry } = shared.plan
  const operation = record.acceptedMicros === null ? 'kickoff' : 'status'
  const allowed = operation === 'kickoff' ? retry.kickoffRetries : retry.statusRetries
  if (retries >= allowed || !isRetriable(operation, answer, retry)) return false
  const random = shared.random.fork('retry', record.index).fork(operation, execution.requests.count)
  const backoff = backoffMicros(retry.backoff, retries, execution.backoffMicros, random)
  const { doneMicros } = answer.timing
  const dueMicros = doneMicros + Math.max(backoff, heededWait(execution))
  if (dueMicros >= execution.deadlineMicros || !shared.retryBudget.take(doneMicros)) return false
  execution.retries++
  execution.backoffMicros = backoff
  execution.dueMicros = dueMicros
  return true
}
