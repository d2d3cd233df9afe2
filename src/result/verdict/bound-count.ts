/** A threshold as a count: how many observations exceed its bound, and how many of them may. */
import { toDigits } from '../../base/numbers.ts'
import type { Measurable } from '../observations.ts'
import type { OpenExecution } from '../counting/open-executions.ts'
import type { Statistic } from '../../scenario/thresholds/metrics.ts'
import { metricNamed, familyOf } from '../../scenario/thresholds/metrics.ts'
import type { RateShape } from '../../scenario/arrivals/index.ts'
import type { Threshold } from '../../scenario/plan.ts'
import type { SidedSize } from '../metrics/correlation-size.ts'
import { effectiveBeyond, effectiveOfVaried, effectiveShare } from '../metrics/correlation-size.ts'
import { lifetimesOf, measureKindOf, shareCountOf } from '../metrics/family-measures.ts'
import type { ShareBound } from '../statistics/shares.ts'
import { shareInterval } from '../statistics/shares.ts'
import { sidesOf, sizeOf } from '../statistics/sample.ts'
import type { Micros } from '../../base/units.ts'
import type { Metric } from '../document.ts'
import { missIsCertain } from '../statistics/planning.ts'

/**
 * Whether a threshold is certain to be missed while the run is still in progress, however the rest
 * turns out.
 */
interface ThresholdStanding {
  count: BoundCount | null
  measured: Metric
  /** Executions of the measured window that are in flight or not yet answered. */
  open: readonly OpenExecution[]
  /** The most arrivals in the window. */
  total: number
  now: Micros
}

/**
 * The run's own count decides: missed even if every open or future execution turns out good.
 * Executions in flight beyond the bound are known to be bad. Repeated looks need no correction,
 * because the final count is predicted; how much that count proves depends on the effective size of
 * what was seen so far. Counts of events and maxima are decided by their value.
 */
export function cannotBeMet(threshold: Threshold, standing: ThresholdStanding): boolean {
  const { count, measured, total } = standing
  if (count === null) return isCount(threshold) && isOver(threshold, measured)
  const bad = count.bad + beyondBound(threshold, standing)
  if (count.allowed.share <= 0) return bad > 0
  const independentPart = count.n === 0 ? 1 : count.effective / count.n
  const { allowed: bound } = count
  return missIsCertain({ bad, total, bound, judge: threshold.judge, independentPart })
}

function isCount({ metric }: Threshold): boolean {
  return familyOf(metricNamed(metric)).unit === 'count'
}

/** A count only grows: once over its upper bound, it stays there. */
function isOver(threshold: Threshold, { value }: Metric): boolean {
  if (typeof value !== 'number' || !isUpper(threshold)) return false
  return threshold.operator === '<' ? value >= threshold.bound : value > threshold.bound
}

function beyondBound(threshold: Threshold, { open, now }: ThresholdStanding): number {
  const { kind } = metricNamed(threshold.metric)
  if (!isUpper(threshold)) return 0
  const isBeyond = ({ intendedMicros }: OpenExecution): boolean =>
    now - intendedMicros > threshold.bound
  if (kind === 'execution') return open.filter(isBeyond).length
  if (kind !== 'kickoffResponse') return 0
  return open.filter((each) => each.acceptedMicros === null && isBeyond(each)).length
}

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
  const reference = metricNamed(threshold.metric)
  if ('statistic' in reference) return allowedBeyond(threshold, reference.statistic)
  return measureKindOf(reference) === 'share' ? allowedShare(threshold) : null
}

/** Null if `allowedBy` is. `rate` is that of the schedule. */
export function countAgainst(
  threshold: Threshold,
  observations: Measurable,
  rate: RateShape | null = null,
): BoundCount | null {
  const reference = metricNamed(threshold.metric)
  const allowed = allowedBy(threshold)
  if (allowed === null) return null
  const { window: group, requests, pushes, people } = observations
  const part = { group, requests, pushes, people }
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
  return toDigits(share, 12)
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
