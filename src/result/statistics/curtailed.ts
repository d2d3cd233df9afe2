/** Curtailed sampling: when a test of known size can stop because its result is certain. */
import type { ShareBound } from './bound.ts'
import { badLimit, fewestSurelyAbove, surelyAbove } from './bound.ts'

/** Whether the whole 95 % interval judges, or the value alone. */
export type Judgement = 'interval' | 'value'

export interface CountStanding {
  /** Known to be bad, whether they have ended or not. */
  bad: number
  /** The most observations that there will be. */
  total: number
  bound: ShareBound
  /** Default `interval`. */
  judge?: Judgement
  /**
   * The number of independent observations as informative as these, as a share of the total, above
   * 0 and at most 1. Default 1.
   */
  independentPart?: number
}

/**
 * Whether the whole sample will be judged `missed` even if all observations not yet known to be bad
 * turn out good. Repeated looks need no correction, because a final count is predicted. If
 * observations depend on each other, a count of bad ones proves less: 1 to 4 % of good crews with 4
 * workers at loads from 0.67 to 0.75 reach a count that would prove a miss of independent ones
 * (bench/results/calibration.md), so the interval uses the effective size. Fewer observations than
 * `total` in the end only make it more certain.
 */
export function missIsCertain({
  bad,
  total,
  bound,
  judge = 'interval',
  independentPart = 1,
}: CountStanding): boolean {
  if (judge === 'value') return bad >= badNeeded(total, bound, judge)
  const size = total * independentPart
  return surelyAbove(Math.min(bad, total) * independentPart, size, badLimit(bound))
}

/**
 * The fewest bad ones among `total` with which a bound is judged `missed`; Infinity if it never is.
 */
export function badNeeded(total: number, bound: ShareBound, judge: Judgement = 'interval'): number {
  const limit = badLimit(bound)
  const fewest = judge === 'interval' ? fewestSurelyAbove(total, limit) : fewestOver(total, bound)
  return fewest > total ? Infinity : fewest
}

/** The first count whose share exceeds the bound; guarded against rounding of the product. */
function fewestOver(total: number, bound: ShareBound): number {
  const limit = badLimit(bound) * total
  const whole = Math.round(limit)
  const isWhole = Math.abs(limit - whole) < 1e-9 * Math.max(1, total)
  if (!isWhole) return Math.ceil(limit)
  return bound.orEqual === true ? whole + 1 : whole
}
