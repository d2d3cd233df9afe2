/**
 * The tipping point of a recovery test: the size of the trigger beyond which most trials do not
 * recover, by bisection.
 */
import { toDigits } from '../../../base/numbers.ts'
import type { TippingPoint, TippingSize } from '../sentences.ts'
import { tippingWords } from '../sentences.ts'
import { shareInterval } from '../../../result/statistics/shares.ts'

/** Counts the trials of one size with a known outcome, and those that did not recover. */
export interface SizeResult {
  sizeMs: number
  tipped: number
  of: number
}

interface BisectionLimits {
  /** The limits at which the search ends when all trials recover, or none. */
  leastMs: number
  mostMs: number
}

/** Two neighbouring sizes within this ratio are close enough: trials of one size differ more. */
const CLOSE_RATIO = 1.1
/**
 * The limits of a bisection: sizes, trials at each of them, and the smallest and largest size as
 * multiples of the one asked for.
 */
export const BISECTION = { sizes: 16, seeds: 10, leastShare: 0.01, mostTimes: 16 }

/**
 * The size to try next; null when the tipping point is between two sizes that are at most 10 %
 * apart, is beyond the limits, or cannot be determined. Doubles or halves until most trials of one
 * size recover and most of another do not, then takes the geometric mean.
 */
export function nextSize(
  results: readonly SizeResult[],
  { leastMs, mostMs }: BisectionLimits,
): number | null {
  if (results.length >= BISECTION.sizes || results.some(({ of }) => of === 0)) return null
  const { low, high } = bracketOf(results)
  if (low === null && high === null) return null
  if (high === null) return low! * 2 <= mostMs ? low! * 2 : null
  if (low === null) return high / 2 >= leastMs ? high / 2 : null
  return high / low <= CLOSE_RATIO ? null : roundedMs(Math.sqrt(low * high))
}

/** Rounds to three digits and whole milliseconds: a size that a user can request. */
function roundedMs(ms: number): number {
  return Math.max(1, Math.round(toDigits(ms, 3)))
}

/**
 * The smallest size at which most do not recover, and the largest one below it at which most do.
 */
function bracketOf(results: readonly SizeResult[]): { low: number | null; high: number | null } {
  const known = results.filter(({ of }) => of > 0)
  const high = known
    .filter((result) => mostTip(result))
    .reduce((least, { sizeMs }) => Math.min(least, sizeMs), Infinity)
  const low = known
    .filter((result) => !mostTip(result) && result.sizeMs < high)
    .reduce((most, { sizeMs }) => Math.max(most, sizeMs), -Infinity)
  return { low: low === -Infinity ? null : low, high: high === Infinity ? null : high }
}

function mostTip({ tipped, of }: SizeResult): boolean {
  return 2 * tipped > of
}

/** The tipping point, estimated from the results for all sizes. */
export function tippingPoint(results: readonly SizeResult[]): TippingPoint {
  const sizes = results.toSorted((a, b) => a.sizeMs - b.sizeMs).map(withInterval)
  const { low, high } = bracketOf(results)
  const unknown = results.some(({ of }) => of === 0) || (low === null && high === null)
  const kind = unknown ? 'unknown' : high === null ? 'above' : low === null ? 'below' : 'between'
  const sureHigh = sizes.find((size) => (size.low ?? 0) > 0.5)
  const sureLow = sizes.findLast(
    (size) => (size.high ?? 1) < 0.5 && size.sizeMs < (sureHigh?.sizeMs ?? Infinity),
  )
  const point = {
    kind,
    lowMs: low,
    highMs: high,
    sureLowMs: sureLow?.sizeMs ?? null,
    sureHighMs: sureHigh?.sizeMs ?? null,
    sizes,
  } as const
  return { ...point, sentence: `${tippingWords(point)}.` }
}

function withInterval(result: SizeResult): TippingSize {
  const { low = null, high = null } = shareInterval(result.tipped, result.of) ?? {}
  return { ...result, low, high }
}
