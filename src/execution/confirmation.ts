/**
 * Polls after the end: a final state must be final. They change no outcome; their findings belong
 * to the contract.
 */
import type { Answer, CrewRequest } from '../crew/answer.ts'
import { checkStatus } from '../crew/contract/contract.ts'
import { readStatus } from '../crew/read.ts'
import type { Violation } from './record/record.ts'
import type { Execution } from './state.ts'

/**
 * The request that confirms this execution's end, right after it and at the end of the run; null
 * for executions outside the seeded share (`plan.confirmShare`) or not ended as `completed` or
 * `failed`. Repeated calls give the same answer. The final state of all others is let go.
 */
export function confirmationRequest(execution: Execution): CrewRequest | null {
  const { shared, record, stage, request, tracker } = execution
  const final = record.outcome === 'completed' || record.outcome === 'failed'
  if (stage !== 'ended' || !final) return null
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
