/** Sends the request of one execution. */
import { assert } from '../base/assert.ts'
import type { Micros } from '../base/units.ts'
import type { Action } from './events.ts'
import type { Execution } from './state.ts'

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
