/** Shares of counts with their confidence, and what such an interval says about a bound. */
import { assert } from '../../base/assert.ts'
import { betaQuantile, betaShare } from './beta.ts'

/** A promise about a share from 0 to 1. */
export interface ShareBound {
  share: number
  /** The side that is good. */
  side: 'below' | 'above'
  /**
   * Whether the bound itself is good. It makes no difference when judged by interval. Default
   * false.
   */
  orEqual?: boolean
}

/**
 * A bound inverted so that hits are bad, and few of them good: "above 95 % served" is "below 5 %
 * not served".
 */
export function badLimit({ share, side }: ShareBound): number {
  return side === 'below' ? share : 1 - share
}

/** The probability beyond each end of a two-sided interval of 95 %. */
export const TAIL = 0.025

/** Whether the whole interval of `bad` in `n` lies below `limit`; neither need be whole. */
export function surelyBelow(bad: number, n: number, limit: number): boolean {
  if (bad >= n) return false
  return limit >= 1 || (limit > 0 && 1 - betaShare(limit, bad + 1, n - bad) < TAIL)
}

/** Whether the whole interval of `bad` in `n` lies above `limit`. */
export function surelyAbove(bad: number, n: number, limit: number): boolean {
  if (bad <= 0) return false
  return limit <= 0 || (limit < 1 && betaShare(limit, bad, n - bad + 1) < TAIL)
}

/** The most bad ones among `n` that leave the whole interval below `limit`; -1 if none does. */
export function mostSurelyBelow(n: number, limit: number): number {
  return lastWhere(-1, n, (bad) => surelyBelow(bad, n, limit))
}

/** The fewest bad ones among `n` that put the whole interval above `limit`; n + 1 if none does. */
export function fewestSurelyAbove(n: number, limit: number): number {
  return lastWhere(0, n + 1, (bad) => !surelyAbove(bad, n, limit)) + 1
}

/**
 * The last whole number from `first` up to but excluding `end` for which a property holds that,
 * once lost, stays lost; it holds for `first`.
 */
export function lastWhere(first: number, end: number, holds: (at: number) => boolean): number {
  let [last, beyond] = [first, end]
  while (beyond - last > 1) {
    const middle = Math.floor((last + beyond) / 2)
    if (holds(middle)) last = middle
    else beyond = middle
  }
  return last
}

interface ShareInterval {
  low: number
  high: number
}

/**
 * The exact interval of Clopper and Pearson ("The use of confidence or fiducial limits illustrated
 * in the case of the binomial", 1934) for `hits` of `n`: each end errs with probability at most (1
 * - confidence) / 2, whatever the share and however small n. If the observations depend on each
 * other, `effective` (taken from 1 to n) is the number of independent ones that would be as
 * informative: the interval is then that of the same share of that many. Null if n is 0.
 */
export function shareInterval(
  hits: number,
  n: number,
  confidence = 0.95,
  effective = n,
): ShareInterval | null {
  if (n === 0) return null
  assert(hits >= 0 && hits <= n, 'hits are counted among all')
  const size = Math.min(n, Math.max(1, effective))
  const [good, bad] = [(hits / n) * size, ((n - hits) / n) * size]
  const tail = (1 - confidence) / 2
  return {
    low: hits === 0 ? 0 : betaQuantile(tail, good, bad + 1),
    high: hits === n ? 1 : betaQuantile(1 - tail, good + 1, bad),
  }
}

/** The same; of nothing, any share may be. */
export function shareRange(...counted: Parameters<typeof shareInterval>): ShareInterval {
  return shareInterval(...counted) ?? { low: 0, high: 1 }
}
