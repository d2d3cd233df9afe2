/** Limits that a study of limits found in the answers of the same runs, as rules of a profile. */

/** What the study of limits tells of one operation, as far as a rule needs it. */
export interface LimitTold {
  operation: 'kickoff' | 'status'
  kind: string
  probability: number
  rate: { count: number; perMs: number } | null
  capacity: number | null
  limit: number | null
  windowMs: number | null
  aligned: 'calendar' | 'first-hit' | null
  concurrency: number | null
  blockMs: number | null
  delaying: boolean
  countsRefused: boolean | null
  refusal: { status: number; retryAfterMs: number | null } | null
}

export interface LimitRule {
  told: LimitTold
  /** The rule as a profile writes it. */
  rule: Readonly<Record<string, unknown>>
}

/** Kinds that are no better known than this are not written. */
const LEAST_PROBABILITY = 0.5
const STATUSES = new Set([429, 503, 403, 529])

/** Null where the kind is not known. `speed` of the runs: windows are in the crew's time. */
export function ruleOf(told: LimitTold, speed: number): LimitRule | null {
  const algorithm = told.probability < LEAST_PROBABILITY ? null : algorithmOf(told, speed)
  if (algorithm === null) return null
  const { operation, blockMs, countsRefused, refusal } = told
  const status = refusal !== null && STATUSES.has(refusal.status) ? refusal.status : 429
  return {
    told,
    rule: {
      name: `${operation}-limit`,
      operations: [operation],
      ...algorithm,
      ...(countsRefused === true ? { rejected: 'counted' } : {}),
      ...(blockMs === null ? {} : { block: durationOf(blockMs * speed) }),
      refusal: { status, retryAfter: refusal?.retryAfterMs == null ? 'none' : 'seconds' },
    },
  }
}

function algorithmOf(told: LimitTold, speed: number): Record<string, unknown> | null {
  const { kind, rate, capacity, limit, windowMs, aligned, concurrency, delaying } = told
  const perWindow =
    limit === null || windowMs === null ? null : { limit, window: durationOf(windowMs * speed) }
  switch (kind) {
    case 'token-bucket':
      return rate === null || capacity === null
        ? null
        : { tokenBucket: { rate: rateOf(rate, speed), capacity } }
    case 'leaky-bucket': {
      const excess = delaying ? 'in turn' : 'at once'
      return rate === null || capacity === null
        ? null
        : { leakyBucket: { rate: rateOf(rate, speed), burst: Math.max(0, capacity - 1), excess } }
    }
    case 'fixed-window':
    case 'penalty': {
      const from = aligned === 'calendar' ? 'calendar' : 'first hit'
      return perWindow === null ? null : { fixedWindow: { ...perWindow, from } }
    }
    case 'sliding-log':
      return perWindow === null ? null : { slidingLog: perWindow }
    case 'sliding-counter':
      return perWindow === null ? null : { slidingCounter: perWindow }
    case 'concurrency':
      return concurrency === null ? null : { concurrency: { limit: concurrency } }
    default:
      return null
  }
}

function durationOf(ms: number): string {
  return `${Math.max(1, Math.round(ms))}ms`
}

function rateOf({ count, perMs }: { count: number; perMs: number }, speed: number): string {
  return `${count}/${durationOf(perMs * speed)}`
}
