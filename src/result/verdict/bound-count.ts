/** A threshold as a count: how many observations exceed its bound, and how many of them may. */
import type { Measurable } from '../observations.ts'
import { parseMetric } from '../../scenario/thresholds/metrics/index.ts'
import type { Statistic } from '../../scenario/thresholds/metrics/index.ts'
import type { RateShape } from '../../scenario/arrivals/index.ts'
import type { Threshold } from '../../scenario/plan.ts'
import type { SidedSize } from '../metrics/correlation-size.ts'
import { effectiveBeyond, effectiveOfVaried, effectiveShare } from '../metrics/correlation-size.ts'
import { lifetimesOf, shapeOf, shareCountOf } from '../metrics/families.ts'
import type { ShareBound } from '../statistics/bound.ts'
import { sidesOf, sizeOf } from '../statistics/sample.ts'
import { shareInterval } from '../statistics/shares.ts'

/**
 * "p95 < 8 s" says that fewer than 5 % are longer than 8 s: every promise about a share or a
 * quantile is one about a share of bad observations.
 */
export interface BoundCount {
  /** Observations that exceed the bound, of `n`; for the `open` ones among them it is unknown. */
  bad: number
  n: number
  open: number
  /** The share of bad ones must stay below this. */
  allowed: ShareBound
  /**
   * The number of independent observations that would be as informative as the n in proving a miss.
   */
  effective: number
  /** The same for proving that the bound was met. */
  effectiveToMeet: number
}

/**
 * The bad observations that a threshold allows; null for a metric that does not count single ones:
 * a mean, a ratio, a rate, a number of events.
 */
export function allowedBy(threshold: Threshold): ShareBound | null {
  const reference = parseMetric(threshold.metric)
  if (reference === undefined) return null
  if ('statistic' in reference) return allowedBeyond(threshold, reference.statistic)
  return shapeOf(reference) === 'share' ? allowedShare(threshold) : null
}

/** Null if `allowedBy` is. `rate` is that of the schedule. */
export function countAgainst(
  threshold: Threshold,
  observations: Measurable,
  rate: RateShape | null = null,
): BoundCount | null {
  const reference = parseMetric(threshold.metric)
  const allowed = allowedBy(threshold)
  if (reference === undefined || allowed === null) return null
  const part = { group: observations.window, requests: observations.requests }
  const lifetimes = lifetimesOf(reference, part, observations.lateness)
  if (lifetimes !== null) {
    const { above, atOrBelow, undetermined: open } = sidesOf(lifetimes, threshold.bound)
    const { toMiss: effective, toMeet: effectiveToMeet } =
      rate === 'varied' && isUpper(threshold)
        ? effectiveOfVaried(observations.series, reference, lifetimes, threshold.bound)
        : bothSides(effectiveBeyond(observations.series, reference, lifetimes)(threshold.bound))
    const bad = isUpper(threshold) ? above : atOrBelow
    return { bad, n: sizeOf(lifetimes), open, allowed, effective, effectiveToMeet }
  }
  const share = shareCountOf(reference, part)
  if (share === null) return null
  const { hits, n, open } = share
  const effective = effectiveShare(observations.series, reference, part.group, n)
  const bad = isUpper(threshold) ? hits : n - open - hits
  return { bad, n, open, allowed, effective, effectiveToMeet: effective }
}

function bothSides(size: number): SidedSize {
  return { toMiss: size, toMeet: size }
}

/** Whether a smaller value is better. */
export function isUpper({ operator }: Pick<Threshold, 'operator'>): boolean {
  return operator === '<' || operator === '<='
}

/**
 * Returns the share that may lie beyond the bound: for a quantile, the share on its other side; for
 * a maximum or minimum, none; null for a mean.
 */
function allowedBeyond(threshold: Threshold, statistic: Statistic): ShareBound | null {
  const upper = isUpper(threshold)
  if (statistic.kind === 'quantile') {
    const share = upper ? exact(1 - statistic.q) : statistic.q
    return { share, side: 'below', orEqual: upper }
  }
  const whole = statistic.kind === (upper ? 'max' : 'min')
  return whole ? { share: 0, side: 'below', orEqual: true } : null
}

function allowedShare(threshold: Threshold): ShareBound {
  const { operator, bound } = threshold
  const orEqual = operator === '<=' || operator === '>='
  return { share: isUpper(threshold) ? bound : exact(1 - bound), side: 'below', orEqual }
}

/** 1 - 0.95 is not 0.05 in binary fractions. */
function exact(share: number): number {
  return Number(share.toPrecision(12))
}

/** Judged by the whole 95 % interval; open observations may turn out either way. */
export function statusByInterval(count: BoundCount): 'met' | 'missed' | 'undecided' {
  if (isMetBy(count)) return 'met'
  const { bad, n, allowed, effective } = count
  const low = shareInterval(bad, n, 0.95, effective)?.low ?? 0
  return low > allowed.share ? 'missed' : 'undecided'
}

export function isMetBy({ bad, n, open, allowed, effectiveToMeet }: BoundCount): boolean {
  const high = shareInterval(bad + open, n, 0.95, effectiveToMeet)?.high ?? 1
  return high < allowed.share
}
