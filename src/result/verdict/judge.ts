/** Judges thresholds: measured value beside bound, by the whole interval, with the next step. */
import { unreachable } from '../../base/assert.ts'
import { metricNamed } from '../../scenario/thresholds/metrics.ts'
import { measureKindOf } from '../metrics/family-measures.ts'
import type { Threshold } from '../../scenario/plan.ts'
import { MICROS_PER_MS, MICROS_PER_UNIT } from '../../base/units.ts'
import type { Metric, ThresholdResult } from '../document.ts'
import { moreToSettle, badNeeded } from '../statistics/planning.ts'
import type { BoundCount } from './bound-count.ts'
import { isUpper, statusByInterval } from './bound-count.ts'
import type { Circumstances } from './next-steps.ts'
import { isOfUsage } from '../sentences/undecided.ts'
import { hintWords } from '../sentences/next-steps.ts'
import { doubtAbout, nextStep } from './next-steps.ts'

const UNDISTURBED: Circumstances = {
  neededAtLoad: null,
  isOverloaded: false,
  isVaried: false,
  paused: 0,
  planned: 1,
}

/**
 * `met` when the whole 95 % interval lies on the good side of the bound, `missed` when it lies on
 * the bad side, else `undecided`, with the reason and how many more observations would settle it at
 * the present rate. Default promises follow the same rule. Statements about the sample itself (a
 * greatest value, a count, none at all) are decided by it, once nothing is open any more. Metrics
 * without an interval, and thresholds that ask for it, are judged by value.
 */
export function judge(
  threshold: Threshold,
  measured: Metric,
  count: BoundCount | null,
  known: Partial<Circumstances> = {},
): ThresholdResult {
  const { metric } = threshold
  const circumstances = { ...UNDISTURBED, ...known }
  const judged = judgedBy(threshold, count)
  const status = statusOf(threshold, measured, count, judged, circumstances)
  const more = status === 'undecided' ? moreNeeded(count, judged, circumstances) : null
  const bound = boundOf(threshold, measured)
  const hasInterval = measured.low !== null && measured.high !== null
  const isPromise = threshold.source === 'default'
  const isOnOneSide = hasInterval && !crosses(measured, threshold.operator, bound)
  const grounds = { measured, count, more, circumstances, isOnOneSide, isPromise }
  const doubt = status === 'undecided' ? doubtAbout(metric, grounds) : null
  const next = nextStep(status, doubt, grounds)
  return {
    metric,
    operator: threshold.operator,
    written: threshold.written,
    bound,
    status,
    doubt,
    judged,
    source: threshold.source,
    measured,
    more,
    next,
    hint: hintWords({ metric, doubt, next }),
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
  if (unit === 'money') return bound / MICROS_PER_UNIT
  return unit === 'ms' ? bound / MICROS_PER_MS : bound
}

function judgedBy(threshold: Threshold, count: BoundCount | null): ThresholdResult['judged'] {
  if (count === null) return isOfSample(threshold) ? 'sample' : 'value'
  if (count.allowed.share <= 0) return 'sample'
  return threshold.judge
}

/** A number of events, or a yes/no fact, is a statement about the sample. */
function isOfSample({ metric }: Threshold): boolean {
  return measureKindOf(metricNamed(metric)) === 'count'
}

function statusOf(
  threshold: Threshold,
  measured: Metric,
  count: BoundCount | null,
  judged: ThresholdResult['judged'],
  { neededAtLoad }: Circumstances,
): ThresholdResult['status'] {
  if (count === null) return statusByValue(threshold, measured)
  if (count.n === 0) return 'unmeasurable'
  if (judged === 'sample') return count.bad > 0 ? 'missed' : count.open > 0 ? 'undecided' : 'met'
  if (judged === 'value') {
    const { bad, n, open, allowed } = count
    // What is not reported may be anything: the value of the others is no value of all.
    if (isOfUsage(threshold.metric) && open > 0) {
      const enough = badNeeded(n, allowed, 'value')
      return bad >= enough ? 'missed' : bad + open < enough ? 'met' : 'undecided'
    }
    return count.bad < badNeeded(count.n - count.open, count.allowed, 'value') ? 'met' : 'missed'
  }
  const byInterval = statusByInterval(count)
  // The size at the bound may differ from the size at the value, and so do the two intervals.
  if (crosses(measured, threshold.operator, boundOf(threshold, measured))) return 'undecided'
  if (byInterval === 'missed') return 'missed'
  return neededAtLoad !== null && count.n < neededAtLoad ? 'undecided' : byInterval
}

/** Whether the interval that is shown has its ends on both sides of the bound. */
function crosses({ low, high }: Metric, operator: Threshold['operator'], bound: number): boolean {
  if (low === null || high === null) return false
  return holds(reached(low), operator, bound) !== holds(reached(high), operator, bound)
}

function reached(value: number | 'never'): number {
  return value === 'never' ? Infinity : value
}

/** A metric without an interval. A hidden value may still have a bound that proves a miss. */
function statusByValue(threshold: Threshold, measured: Metric): ThresholdResult['status'] {
  const bound = boundOf(threshold, measured)
  const { value } = measured
  if (value !== null) {
    if (threshold.judge !== 'value' && crosses(measured, threshold.operator, bound))
      return 'undecided'
    return holds(reached(value), threshold.operator, bound) ? 'met' : 'missed'
  }
  const side = isUpper(threshold) ? measured.low : measured.high
  if (side !== null && !holds(reached(side), threshold.operator, bound)) return 'missed'
  return measured.n > 0 ? 'undecided' : 'unmeasurable'
}

/** Whether a measured value keeps its bound; null where there is no value. */
function isWithin({ measured, operator, bound }: ThresholdResult): boolean | null {
  return measured.value === null ? null : holds(reached(measured.value), operator, bound)
}

/**
 * Whether neither what was measured nor anybody who still waited for a person breaks a bound that
 * is undecided: a default promise then prevents no pass.
 */
export function isKept(result: ThresholdResult): boolean {
  return isWithin(result) !== false && result.doubt?.kind !== 'paused'
}

/** Met by its value, as its author asked, although its interval crosses the bound. */
export function isByValueAlone(result: ThresholdResult): boolean {
  const { status, judged, measured, operator, bound } = result
  return status === 'met' && judged === 'value' && crosses(measured, operator, bound)
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
  { neededAtLoad, isOverloaded }: Circumstances,
): number | null {
  if (count === null || judged !== 'interval' || count.n === 0 || isOverloaded) return null
  const { bad, n, open, allowed } = count
  const effective = bad < badNeeded(n, allowed, 'value') ? count.effectiveToMeet : count.effective
  const atLoad = Math.max(0, Math.ceil((neededAtLoad ?? 0) - n))
  if (statusByInterval(count) !== 'undecided') return atLoad
  const settled = moreToSettle(bad, n - open, allowed, Math.min(effective, n - open))
  return settled === null ? null : Math.max(settled, atLoad)
}
