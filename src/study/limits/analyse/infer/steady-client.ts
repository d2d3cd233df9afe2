/** What a limit means for a client: how fast it may ask, and how long it waits once refused. */
import { unreachable } from '../../../../base/assert.ts'
import type { LimiterKind } from '../../../frame/limiter-kinds.ts'
import type { ParameterEstimate, RateLimit } from '../../document.ts'

const SECOND = 1_000

interface SteadyLimit {
  kind: LimiterKind
  /** Of a bucket, its capacity. */
  limit: ParameterEstimate
  /** Of a bucket, the time in which one token comes. */
  windowMs: ParameterEstimate
  aligned: RateLimit['aligned']
}

/**
 * The requests a second that one client may send at even intervals without ever being refused,
 * where its requests arrive up to `jitterMs` later than the fastest of them. Null where no rate is
 * known to be safe.
 *
 * - Windows and logs: as many as the limit, and one more, never arrive within a window.
 * - A window that each request prolongs ends in silence alone.
 * - A counter weighs what the window before it counted: when a window begins, all of that counts,
 *   and one more has to fit. With a limit of one, the window before has to be empty.
 * - A bucket has the tokens of its capacity to make up for requests that arrive early.
 */
export function safePerSecond(
  { kind, limit, windowMs, aligned }: SteadyLimit,
  jitterMs: number,
): number | null {
  if (aligned === 'last-hit') return SECOND / (windowMs.high + jitterMs)
  switch (kind) {
    case 'token-bucket': {
      const early = Math.max(0, jitterMs - (limit.low - 1) * windowMs.high)
      return SECOND / (windowMs.high + early)
    }
    case 'sliding-counter':
      if (limit.low <= 1) return SECOND / (2 * windowMs.high + jitterMs)
      return ((limit.low - 1) * SECOND) / (windowMs.high + jitterMs)
    case 'fixed-window':
    case 'sliding-log':
    case 'penalty':
      return (limit.low * SECOND) / (windowMs.high + jitterMs)
    case 'none':
    case 'leaky-bucket':
    case 'concurrency':
    case 'unknown':
      return null
    default:
      return unreachable(kind)
  }
}

/**
 * How long a client that was refused keeps still until it is surely let in again, in milliseconds;
 * null where time alone does not tell.
 *
 * A counter that is used up when a window begins lets one in when the next has weighed it down by
 * one; refused requests that count may take that until the end of the next. After a block, the
 * window in which it was provoked may go on.
 */
export function waitMsAfterRefusal(rateLimit: RateLimit): number | null {
  const { kind, ratePerSecond, limit, windowMs, blockMs, countsRefused } = rateLimit
  switch (kind) {
    case 'token-bucket':
    case 'leaky-bucket':
      return ratePerSecond === null ? null : SECOND / ratePerSecond.low
    case 'fixed-window':
    case 'sliding-log':
      return windowMs?.high ?? null
    case 'sliding-counter': {
      if (windowMs === null || limit === null) return null
      const next = countsRefused === false ? 1 / limit.low : 1
      return windowMs.high * (1 + next)
    }
    case 'penalty':
      return blockMs === null ? null : Math.max(blockMs.high, windowMs?.high ?? 0)
    case 'none':
    case 'concurrency':
    case 'unknown':
      return null
    default:
      return unreachable(kind)
  }
}

/** How long until what was sent before has surely been forgotten, in milliseconds. */
export function forgottenAfterMs(rateLimit: RateLimit): number {
  const { kind, windowMs, blockMs, ratePerSecond, capacity } = rateLimit
  const refillMs = ratePerSecond === null ? 0 : ((capacity?.high ?? 1) / ratePerSecond.low) * SECOND
  /** A counter weighs the window before. */
  const windows = kind === 'sliding-counter' ? 2 : 1
  return Math.max(windows * (windowMs?.high ?? 0), blockMs?.high ?? 0, refillMs)
}
