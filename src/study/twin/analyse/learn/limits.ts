/** Turns limits that a study of limits found in the same runs into rules of a profile. */
import { unreachable } from '../../../../base/assert.ts'
import { durationText, MICROS_PER_MS } from '../../../../base/units.ts'
import type { LimiterKind } from '../../../frame/limiter-kinds.ts'
import type { MeasuredOperation } from '../../../../crew/answer.ts'
import type { LeftOutReason } from '../../sentences/parts.ts'

/** Null where it has no part in the kind. */
type StudiedParameter = { value: number } | null

/** The result of a study of limits for one operation, as far as a rule needs it. */
export interface StudiedLimit {
  operation: MeasuredOperation
  kind: LimiterKind
  probability: number
  ratePerSecond: StudiedParameter
  capacity: StudiedParameter
  limit: StudiedParameter
  windowMs: StudiedParameter
  aligned: 'calendar' | 'first-hit' | 'last-hit' | null
  concurrency: StudiedParameter
  blockMs: StudiedParameter
  delaying: boolean
  countsRefused: boolean | null
  refusal: { status: number; retryAfterMs: number | null } | null
  /** Further limits of the same operation. */
  also: readonly { kind: LimiterKind; basis: 'measured' | 'promised' }[]
}

export interface LimitRule {
  studied: StudiedLimit
  /** The rule as a profile writes it. */
  rule: Readonly<Record<string, unknown>>
}

/** A limit that the twin does not have. */
export interface LeftOut {
  studied: StudiedLimit
  why: LeftOutReason
}

/** A kind of limit with a lower probability than this is not written. */
const LEAST_PROBABILITY = 0.5
const STATUSES = new Set([429, 503, 403, 529])

/**
 * Returns the rule of a limit, or why there is none; null if no limit was reached. `speed` is that
 * of the runs: the windows of a profile are in the crew's time.
 */
export function ruleOf(studied: StudiedLimit, speed: number): LimitRule | LeftOut | null {
  if (studied.kind === 'none') return null
  const isGuess = studied.kind !== 'unknown' && studied.probability < LEAST_PROBABILITY
  const algorithm = isGuess ? 'uncertain' : algorithmOf(studied, studied.kind, speed)
  if (typeof algorithm === 'string') return { studied, why: algorithm }
  const { operation, blockMs, countsRefused, refusal } = studied
  const status = refusal !== null && STATUSES.has(refusal.status) ? refusal.status : 429
  return {
    studied,
    rule: {
      name: `${operation}-limit`,
      operations: [operation],
      ...algorithm,
      ...(countsRefused === true ? { rejected: 'counted' } : {}),
      ...(blockMs === null ? {} : { block: durationOf(blockMs.value * speed) }),
      refusal: { status, retryAfter: refusal?.retryAfterMs == null ? 'none' : 'seconds' },
    },
  }
}

/** Returns the algorithm as a profile writes it, or why it cannot be written. */
function algorithmOf(
  studied: StudiedLimit,
  kind: Exclude<LimiterKind, 'none'>,
  speed: number,
): LimitRule['rule'] | LeftOutReason {
  const { ratePerSecond, capacity, limit, windowMs, aligned, concurrency, blockMs } = studied
  const window =
    limit === null || windowMs === null
      ? null
      : { limit: limit.value, window: durationOf(windowMs.value * speed) }
  const fixed = window && { fixedWindow: { ...window, from: FROM[aligned ?? 'first-hit'] } }
  const bucket =
    ratePerSecond === null || capacity === null
      ? null
      : { rate: rateOf(ratePerSecond.value, speed), capacity: capacity.value }
  switch (kind) {
    case 'token-bucket':
      return bucket === null ? 'no-bucket' : { tokenBucket: bucket }
    case 'leaky-bucket': {
      if (bucket === null) return 'no-bucket'
      const burst = Math.max(0, bucket.capacity - 1)
      return {
        leakyBucket: { rate: bucket.rate, burst, excess: studied.delaying ? 'in turn' : 'at once' },
      }
    }
    case 'fixed-window':
      return fixed ?? 'no-window'
    case 'sliding-log':
      return window === null ? 'no-window' : { slidingLog: window }
    case 'sliding-counter':
      return window === null ? 'no-window' : { slidingCounter: window }
    case 'penalty':
      // A profile writes a penalty as a window with a block.
      return (blockMs === null ? null : fixed) ?? 'no-penalty'
    case 'concurrency':
      return concurrency === null ? 'no-concurrency' : { concurrency: { limit: concurrency.value } }
    case 'unknown':
      return 'no-kind'
    default:
      return unreachable(kind)
  }
}

const FROM = { calendar: 'calendar', 'first-hit': 'first hit', 'last-hit': 'last hit' } as const

function durationOf(ms: number): string {
  return durationText(Math.max(1, Math.round(ms)) * MICROS_PER_MS)
}

/** So many a second, or one in so long. */
function rateOf(perSecond: number, speed: number): string {
  const count = Math.max(1, perSecond)
  const each = durationOf((1_000 * count * speed) / perSecond)
  return `${count}/${each}`
}
