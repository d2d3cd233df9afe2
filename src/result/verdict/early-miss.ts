/**
 * Whether a threshold is certain to be missed while the run is still in progress, however the rest
 * turns out.
 */
import { familyOf, parseMetric } from '../../scenario/thresholds/metrics/index.ts'
import type { Threshold } from '../../scenario/plan.ts'
import type { Micros } from '../../base/units.ts'
import type { Metric } from '../document.ts'
import type { OpenExecution } from '../observations.ts'
import { missIsCertain } from '../statistics/curtailed.ts'
import type { BoundCount } from './bound-count.ts'
import { isUpper } from './bound-count.ts'

export interface ThresholdStanding {
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
  const reference = parseMetric(metric)
  return reference !== undefined && familyOf(reference).unit === 'count'
}

/** A count only grows: once over its upper bound, it stays there. */
function isOver(threshold: Threshold, { value }: Metric): boolean {
  if (typeof value !== 'number' || !isUpper(threshold)) return false
  return threshold.operator === '<' ? value >= threshold.bound : value > threshold.bound
}

function beyondBound(threshold: Threshold, { open, now }: ThresholdStanding): number {
  const reference = parseMetric(threshold.metric)
  if (!isUpper(threshold)) return 0
  const isBeyond = ({ intendedMicros }: OpenExecution): boolean =>
    now - intendedMicros > threshold.bound
  if (reference?.kind === 'execution') return open.filter(isBeyond).length
  if (reference?.kind !== 'kickoffResponse') return 0
  return open.filter((each) => each.acceptedMicros === null && isBeyond(each)).length
}
