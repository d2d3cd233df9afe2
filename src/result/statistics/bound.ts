/**
 * A bound on a share, and what the exact interval of Clopper and Pearson says about a count of
 * trials.
 */
import { betaShare } from './distributions/beta.ts'

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
