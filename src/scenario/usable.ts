/** What an answer, whatever was asked, says of the target: whether it is there for us. */
import type { Answer } from '../crew/answer.ts'
import { askedWaitMicros } from '../crew/retry-after.ts'

/** `refused`: it is there, and takes no token of ours. `nothing`: the answer tells of us alone. */
export type Usability = 'good' | 'refused' | 'dead' | 'nothing'

/**
 * Usable is any whole answer but 401, 403 and 5xx; a 403 that asks for a wait is a rate limiter's
 * word, and as good as 429. A body over our limit was sent by somebody who lives.
 */
export function usabilityOf(answer: Answer): Usability {
  if (answer.kind === 'failure') return usabilityOfFailure(answer)
  if (answer.status === 403 && (askedWaitMicros(answer.headers) ?? 0) > 0) return 'good'
  if (answer.status === 401 || answer.status === 403) return 'refused'
  return answer.status >= 500 ? 'dead' : 'good'
}

/** What we gave up, or had no connection free for, tells nothing. */
function usabilityOfFailure(failure: Extract<Answer, { kind: 'failure' }>): Usability {
  if (failure.class === 'too-large') return 'good'
  const isOurs = failure.class === 'cancelled' || (failure.class === 'timeout' && !failure.written)
  return isOurs ? 'nothing' : 'dead'
}

/** Status code, or class of the failure. */
export function codeOf(answer: Answer): string {
  return answer.kind === 'answer' ? String(answer.status) : answer.class
}
