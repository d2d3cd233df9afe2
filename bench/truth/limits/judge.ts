/** Judges whether the conclusion about a known limiter is correct. */
import type { Conclusion } from '../../../src/study/limits/analyse/infer/interface.ts'
import type { ParameterEstimate } from '../../../src/study/limits/document.ts'
import type { LimiterKind } from '../../../src/study/frame/limiter-kinds.ts'
import type { Drawn, DrawnKind } from './draw.ts'

export interface Judged {
  /** Whether the kind is correct; kinds that cannot be distinguished count as one. */
  kindRight: boolean
  limitExact: boolean | null
  /** Whether window or rate are within 5 %. */
  timeClose: boolean | null
  /** Whether each stated interval, of the limit and of times, contains the true value. */
  covered: boolean | null
  blockClose: boolean | null
  /**
   * Whether window and rate are within 5 % where the conclusion claims a value; null where it
   * states an interval.
   */
  claimClose: boolean | null
}

const OF_KIND: Record<DrawnKind, LimiterKind> = {
  none: 'none',
  'token-bucket': 'token-bucket',
  'leaky-bucket': 'token-bucket',
  'leaky-delayed': 'leaky-bucket',
  'fixed-calendar': 'fixed-window',
  'fixed-first-hit': 'fixed-window',
  'sliding-log': 'sliding-log',
  'sliding-counter': 'sliding-counter',
  concurrency: 'concurrency',
  penalty: 'penalty',
}

export interface Truth {
  kinds: readonly LimiterKind[]
  limit: number | null
  /** The window in milliseconds; for a bucket, the time of one token. */
  windowMs: number | null
  blockMs: number | null
}

/** A block that is shorter than this share of its window ends before the window does. */
const HIDDEN_BLOCK = 0.1

/**
 * Returns the truth to judge by. Where jitter or varying service times hide a property, the
 * conclusion may say so, or name what the limiter then looks like.
 */
export function truthOf({ kind, limit, serviceMs, spreadMs, jitterMs }: Drawn): Truth {
  if (limit === null) return { kinds: ['none'], limit: null, windowMs: null, blockMs: null }
  const { algorithm } = limit
  const kinds: LimiterKind[] = [OF_KIND[kind]]
  const hiddenMs = 2 * jitterMs
  const blockMs = limit.blockMicros === 0 ? null : limit.blockMicros / 1_000
  switch (algorithm.kind) {
    case 'token-bucket':
    case 'leaky-bucket': {
      const capacity = algorithm.kind === 'token-bucket' ? algorithm.capacity : algorithm.burst + 1
      const { count, perMicros } = algorithm.rate
      const windowMs = perMicros / count / 1_000
      const isDelayHidden = (capacity - 1) * windowMs < Math.max(hiddenMs, spreadMs)
      if (capacity === 1 || isDelayHidden) kinds.push('token-bucket')
      return { kinds, limit: capacity, windowMs, blockMs }
    }
    case 'concurrency':
      if (serviceMs < hiddenMs) kinds.push('unknown')
      return { kinds, limit: algorithm.limit, windowMs: null, blockMs }
    case 'fixed-window':
    case 'sliding-log':
    case 'sliding-counter': {
      const isFromHit = algorithm.kind === 'fixed-window' && algorithm.from === 'first hit'
      const isOne = algorithm.limit === 1 && blockMs === null
      if (isOne && (isFromHit || algorithm.kind === 'sliding-log')) kinds.push('token-bucket')
      const windowMs = algorithm.windowMicros / 1_000
      if (blockMs !== null && blockMs <= HIDDEN_BLOCK * windowMs) kinds.push(algorithm.kind)
      return { kinds, limit: algorithm.limit, windowMs, blockMs }
    }
    default:
      throw new Error(`no verdict is known for ${JSON.stringify(algorithm)}`)
  }
}

export function judge(drawn: Drawn, { rateLimit }: Conclusion): Judged {
  const truth = truthOf(drawn)
  const isHeld = rateLimit.sameAs.includes('concurrency')
  const named = new Set([rateLimit.kind, ...(isHeld ? (['concurrency'] as const) : [])])
  const kindRight = truth.kinds.some((kind) => named.has(kind))
  const isNamed = kindRight && rateLimit.kind !== 'unknown'
  const limit = rateLimit.limit ?? rateLimit.capacity ?? rateLimit.concurrency
  const windowMs = rateLimit.windowMs ?? inverse(rateLimit.ratePerSecond)
  const timeClose = isNamed ? isClose(windowMs, truth.windowMs) : null
  const { open } = rateLimit
  const isClaimed = !open.includes('windowMs') && !open.includes('ratePerSecond')
  const pairs = [
    [limit, truth.limit],
    [windowMs, truth.windowMs],
    [rateLimit.blockMs, truth.blockMs],
  ] as const
  return {
    kindRight,
    limitExact: isNamed && truth.limit !== null ? limit?.value === truth.limit : null,
    timeClose,
    claimClose: isClaimed ? timeClose : null,
    blockClose: isNamed ? isClose(rateLimit.blockMs, truth.blockMs) : null,
    covered:
      isNamed && truth.limit !== null
        ? pairs.every(([estimate, value]) => value === null || holds(estimate, value))
        : null,
  }
}

export function inverse(estimate: ParameterEstimate | null): ParameterEstimate | null {
  if (estimate === null) return null
  const { value, low, high } = estimate
  return { value: 1_000 / value, low: 1_000 / high, high: 1_000 / low }
}

function isClose(estimate: ParameterEstimate | null, truth: number | null): boolean | null {
  if (truth === null) return null
  return estimate !== null && Math.abs(estimate.value / truth - 1) <= 0.05
}

function holds(estimate: ParameterEstimate | null, truth: number): boolean {
  return estimate !== null && estimate.low <= truth && truth <= estimate.high
}
