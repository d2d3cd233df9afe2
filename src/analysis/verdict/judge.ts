/** Judges thresholds: measured value beside bound, by the whole interval, with the next step. */
import { unreachable } from '../../base/assert.ts'
import { parseMetric } from '../../scenario/thresholds/metrics/index.ts'
import { shapeOf } from '../metrics/families.ts'
import type { Threshold } from '../../scenario/plan.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Metric, ThresholdResult } from '../document.ts'
import { moreToSettle } from '../statistics/planning.ts'
import { badNeeded } from '../statistics/curtailed.ts'
import type { BoundCount } from './bound-count.ts'
import { isUpper, statusByInterval } from './bound-count.ts'
import type { Circumstances } from './circumstances.ts'
import { hintFor } from './hints.ts'

const UNDISTURBED: Circumstances = {
  neededAtLoad: null,
  isVaried: false,
  dropped: 0,
  paused: 0,
  planned: 1,
}

/**
 * `met` when the whole 95 % interval lies on the good side of the bound, `missed` when it lies on
 * the bad side, else `undecided`, with how many more observations would settle it at the present
 * rate. Statements about the sample itself (a greatest value, a count, none at all) are decided by
 * it, once nothing is open any more. Metrics without an interval, and thresholds that ask for it,
 * are judged by value. A default promise is met by its value, whatever becomes of those that still
 * waited for a person, and missed only by its interval.
 */
export function judge(
  threshold: Threshold,
  measured: Metric,
  count: BoundCount | null,
  circumstances: Circumstances = UNDISTURBED,
): ThresholdResult {
  const judged = judgedBy(threshold, count)
  const status = statusOf(threshold, measured, count, judged, circumstances)
  const more = status === 'undecided' ? moreNeeded(count, judged, circumstances) : null
  return {
    metric: threshold.metric,
    text: threshold.text,
    operator: threshold.operator,
    bound: boundOf(threshold, measured),
    status,
    judged,
    source: threshold.source,
    measured,
    more,
    hint: hintFor(threshold.metric, status, { measured, count, more, circumstances }),
  }
}

/** Whether the miss stands even if everything that was not sent had turned out good. */
export function isMissedDespiteDrops(
  threshold: Threshold,
  count: BoundCount | null,
  dropped: number,
): boolean {
  if (count === null) return false
  const n = count.n + dropped
  const diluted = { ...count, n, effective: (count.effective * n) / Math.max(1, count.n) }
  const judged = judgedBy(threshold, count)
  return judged === 'value'
    ? count.bad >= badNeeded(n, count.allowed, 'value')
    : statusByInterval(diluted) === 'missed'
}

function boundOf({ bound }: Threshold, { unit }: Metric): number {
  return unit === 'ms' ? bound / MICROS_PER_MS : bound
}

function judgedBy(threshold: Threshold, count: BoundCount | null): ThresholdResult['judged'] {
  if (count === null) return isOfSample(threshold) ? 'sample' : 'value'
  if (count.allowed.share <= 0) return 'sample'
  return threshold.judge
}

/** A number of events, or a yes/no fact, is a statement about the sample. */
function isOfSample({ metric }: Threshold): boolean {
  const reference = parseMetric(metric)
  return reference !== undefined && shapeOf(reference) === 'count'
}

function statusOf(
  threshold: Threshold,
  measured: Metric,
  count: BoundCount | null,
  judged: ThresholdResult['judged'],
  { neededAtLoad, paused }: Circumstances,
): ThresholdResult['status'] {
  if (count === null) return statusByValue(threshold, measured)
  if (count.n === 0) return 'unmeasurable'
  if (judged === 'sample') return count.bad > 0 ? 'missed' : count.open > 0 ? 'undecided' : 'met'
  const byInterval = statusByInterval(count)
  const isWithin = count.bad < badNeeded(count.n - count.open, count.allowed, 'value')
  if (judged === 'value') return isWithin ? 'met' : 'missed'
  if (byInterval === 'missed') return 'missed'
  if (threshold.source === 'default') return isWithinAll(count, paused) ? 'met' : 'undecided'
  return neededAtLoad !== null && count.n < neededAtLoad ? 'undecided' : byInterval
}

/** Within the bound by value, even if all that still waited for a person were bad. */
function isWithinAll({ bad, n, open, allowed }: BoundCount, paused: number): boolean {
  const waiting = Math.min(paused, open)
  return bad + waiting < badNeeded(n - open + waiting, allowed, 'value')
}

/** A metric without an interval. A hidden value may still have a bound that proves a miss. */
function statusByValue(threshold: Threshold, measured: Metric): ThresholdResult['status'] {
  const bound = boundOf(threshold, measured)
  const { value } = measured
  if (value !== null) {
    return holds(value === 'never' ? Infinity : value, threshold.operator, bound) ? 'met' : 'missed'
  }
  const side = isUpper(threshold) ? measured.low : measured.high
  const proven =
    side !== null && !holds(side === 'never' ? Infinity : side, threshold.operator, bound)
  if (proven) return 'missed'
  return measured.n > 0 ? 'undecided' : 'unmeasurable'
}

function holds(value: number, operator: Threshold['operator'], bound: number): boolean {
  switch (operator) {
    case '<':
      return value < bound
    case '<=':
      return value <= bound
    case '>':
      return value > bound
    case '>=':
      return value >= bound
    default:
      return unreachable(operator)
  }
}

/** Null if no number would suffice, or if open executions decide it rather than future ones. */
function moreNeeded(
  count: BoundCount | null,
  judged: ThresholdResult['judged'],
  { neededAtLoad }: Circumstances,
): number | null {
  if (count === null || judged !== 'interval' || count.n === 0) return null
  const { bad, n, open, allowed } = count
  const effective = bad < badNeeded(n, allowed, 'value') ? count.effectiveToMeet : count.effective
  const atLoad = Math.max(0, Math.ceil((neededAtLoad ?? 0) - n))
  if (!Number.isFinite(atLoad)) return null
  if (statusByInterval(count) !== 'undecided') return atLoad
  const settled = moreToSettle(bad, n - open, allowed, Math.min(effective, n - open))
  return settled === null ? null : Math.max(settled, atLoad)
}
