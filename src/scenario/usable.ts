/** What an answer to any request shows about the target: whether we can use it. */
import type { Answer, FailureClass } from '../crew/answer.ts'
import { asksToWait } from '../crew/retry-after.ts'
import type { FailedRequest } from '../crew/answer.ts'

/**
 * `refused`: the target is there but does not accept our token. `nothing`: the answer concerns only
 * us.
 */
export type Usability = 'good' | 'refused' | 'dead' | 'nothing'

/**
 * Usable is any complete answer except 401, 403 and 5xx. A 403 that asks for a wait comes from a
 * rate limiter, and counts as 429 does. A body over our limit shows that the target is alive.
 */
export function usabilityOf(answer: Answer): Usability {
  if (answer.kind === 'failure') return usabilityOfFailure(answer)
  if (answer.status === 403 && asksToWait(answer.headers)) return 'good'
  if (answer.status === 401 || answer.status === 403) return 'refused'
  return answer.status >= 500 ? 'dead' : 'good'
}

/** A request that we gave up, or for which no connection was free, shows nothing. */
function usabilityOfFailure(failure: FailedRequest): Usability {
  if (failure.class === 'too-large') return 'good'
  const isOurs = failure.class === 'cancelled' || (failure.class === 'timeout' && !failure.written)
  return isOurs ? 'nothing' : 'dead'
}

/** The status code, or the class of the failure. */
export function codeOf(answer: Answer): number | FailureClass {
  return answer.kind === 'answer' ? answer.status : answer.class
}
