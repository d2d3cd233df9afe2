/** Curtailed sampling: when a test of known size can stop because its end is certain. */
import type { ShareBound } from './bound.ts'
import { badLimit, fewestSurelyAbove, surelyAbove } from './bound.ts'

/** By its whole 95 % interval, or by the value alone. */
export type Judgement = 'interval' | 'value'

export interface Standing {
  /** Known to be on the bad side, whether they have ended or not. */
  bad: number
  /** All that there will be, at most. */
  total: number
  bound: ShareBound
  /** Default `interval`. */
  judge?: Judgement
  /**
   * Part of the total, above 0 and at most 1, that independent observations as sure as these would
   * be. Default 1.
   */
  independentPart?: number
}

/**
 * Whether the whole sample will be judged `missed` even if all that are not yet known to be bad
 * turn out good. No look at the data can be one too many: it foretells a count. Where observations
 * depend on each other a count of bad ones proves less: 1 to 4 % of good crews of 4 workers at
 * loads from 0.67 to 0.75 come to a count that would prove a miss of independent ones
 * (docs/calibration.md), so that the interval is that of the effective size. Fewer observations
 * than `total` in the end only make it the surer.
 */
export function missIsCertain({
  bad,
  total,
  bound,
  judge = 'interval',
  independentPart = 1,
}: Standing): boolean {
  if (judge === 'value') return bad >= badNeeded(total, bound, judge)
  const size = total * independentPart
  return surelyAbove(Math.min(bad, total) * independentPart, size, badLimit(bound))
}

/**
 * Fewest bad ones among `total` with which a bound is judged `missed`; Infinity where it never is.
 */
export function badNeeded(total: number, bound: ShareBound, judge: Judgement = 'interval'): number {
  const limit = badLimit(bound)
  const fewest = judge === 'interval' ? fewestSurelyAbove(total, limit) : fewestOver(total, bound)
  return fewest > total ? Infinity : fewest
}

/**
 * The first count whose share does not keep the bound; guarded against the last bits of the
 * product.
 */
function fewestOver(total: number, bound: ShareBound): number {
  const limit = badLimit(bound) * total
  const whole = Math.round(limit)
  const isWhole = Math.abs(limit - whole) < 1e-9 * Math.max(1, total)
  if (!isWhole) return Math.ceil(limit)
  return bound.orEqual === true ? whole + 1 : whole
}
