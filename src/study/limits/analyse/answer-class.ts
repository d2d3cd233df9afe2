/** What an answer says of a limit: whether the request was let in, refused, or neither. */
import type { Observed } from './infer/interface.ts'

/** Statuses by which limiters refuse (RFC 6585, RFC 9110; 529 where a service is overloaded). */
const REFUSALS: ReadonlySet<number> = new Set([429, 503, 529])

export interface ClassifiedAnswer {
  /** Null, or the class of a failure, where no answer came that can be read. */
  code: number | string | null
  /** Whether it asks for a wait. */
  asksToWait: boolean
  /** Whether the same token was let in before. */
  wasAccepted: boolean
}

/**
 * A 404 or 422 is no refusal: the limiter let the request through. A 403 is one from a target that
 * says when to come back, or has let the same token in before.
 */
export function classOf({ code, asksToWait, wasAccepted }: ClassifiedAnswer): Observed['answer'] {
  if (typeof code !== 'number') return 'failed'
  if (REFUSALS.has(code)) return 'refused'
  if (code === 403) return asksToWait || wasAccepted ? 'refused' : 'failed'
  return code >= 500 || code === 401 ? 'failed' : 'accepted'
}
