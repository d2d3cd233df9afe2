/** Decides which answers are retried. */
import type { Answer, FailureClass, Operation } from '../../crew/answer.ts'
import type { RetryPolicy } from '../plan.ts'

const CONNECT_FAILURES: ReadonlySet<FailureClass> = new Set([
  'refused',
  'dns',
  'tls',
  'connect-timeout',
  'unreachable',
])
const STATUS_CODES: ReadonlySet<number> = new Set([429, 502, 503, 504])
const KICKOFF_CODES: ReadonlySet<number> = new Set([429, 503])

/**
 * True when the request may be sent again. A GET: when no connection was established, and on 429,
 * 502, 503, 504. A kickoff has no idempotency key: only when no connection was established and
 * certainly nothing was written, and on 429 and 503, as in the vendor's own client; with
 * `unknownKickoffs: 'repeat'` also when it may have started, as in many clients whose authors never
 * saw them under load.
 */
export function isRetriable(
  operation: Operation,
  answer: Answer,
  { unknownKickoffs }: Pick<RetryPolicy, 'unknownKickoffs'>,
): boolean {
  const repeats = operation === 'kickoff' && unknownKickoffs === 'repeat'
  if (repeats && mayHaveStarted(answer)) return !isGivenUp(answer)
  if (answer.kind === 'failure') return !answer.written && CONNECT_FAILURES.has(answer.class)
  return (operation === 'kickoff' ? KICKOFF_CODES : STATUS_CODES).has(answer.status)
}

/**
 * Whether a kickoff without a usable answer may have started. False when certainly nothing started:
 * nothing was written, any 4xx, 503, and redirects other than 303 (which says that the request was
 * carried out).
 */
export function mayHaveStarted(answer: Answer): boolean {
  if (answer.kind === 'failure' && !answer.written) return false
  const { status } = answer
  if (status === null || status === 303) return true
  return status !== 503 && (status < 300 || status >= 500)
}

/** Whether we cancelled the request because the run was stopped. */
export function isGivenUp(answer: Answer): boolean {
  return answer.kind === 'failure' && answer.class === 'cancelled'
}
