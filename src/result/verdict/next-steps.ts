/** Why a threshold is undecided, and what to do about one that was not met. */
import { unreachable } from '../../base/assert.ts'
import { metricNamed } from '../../scenario/thresholds/metrics.ts'
import type { Doubt, Metric, ThresholdResult } from '../document.ts'
import { badNeeded, leastToDecide } from '../statistics/planning.ts'
import { isOfUsage } from '../sentences/undecided.ts'
import type { NextStep, RunLength } from '../document-parts.schema.ts'
import type { BoundCount } from './bound-count.ts'
import { isMetBy } from './bound-count.ts'

/** What of a run decides how its thresholds are judged, beside what was measured. */
export interface Circumstances {
  /**
   * The number of executions needed if the load of the crew is known and high; null if unknown, or
   * no more are needed.
   */
  neededAtLoad: number | null
  /** Arrivals need more than the workers can do, and the metric shows the wait for them. */
  isOverloaded: boolean
  /** The schedule varies the load by plan. */
  isVaried: boolean
  /** Arrivals whose deadline passed while a person was asked. */
  paused: number
  /**
   * Arrivals planned for each that was sent: 1 for a run that was not cut, infinite if a crash left
   * the number unknown.
   */
  planned: number
}

interface Grounds {
  measured: Metric
  count: BoundCount | null
  more: number | null
  circumstances: Circumstances
  /** The interval that is shown does not hold the bound. */
  isOnOneSide: boolean
  isPromise: boolean
}

/** Null if it was met, not judged or not measured. */
export function nextStep(
  status: ThresholdResult['status'],
  doubt: Doubt | null,
  grounds: Grounds,
): NextStep | null {
  switch (status) {
    case 'met':
    case 'notJudged':
    case 'unmeasurable':
      return null
    case 'missed':
      return missStep(grounds)
    case 'undecided':
      return doubt === null ? null : undecidedStep(doubt, grounds)
    default:
      return unreachable(status)
  }
}

function missStep({ measured, circumstances }: Grounds): NextStep {
  if (circumstances.isOverloaded) return { code: 'lower-load' }
  return { code: measured.value === 'never' ? 'commonest-reason' : 'look' }
}

function plain(kind: Doubt['kind']): Doubt {
  return { kind, have: null, needed: null }
}

/** Why a threshold is undecided: the first of these that applies. */
export function doubtAbout(metric: string, grounds: Grounds): Doubt {
  const { count, measured, circumstances, isOnOneSide, isPromise } = grounds
  if (count === null && measured.value === null) {
    return plain(isOfUsage(metric) ? 'unreported' : 'hidden')
  }
  if (count === null) return plain('interval')
  const { n, open } = count
  if (open > 0 && isOfUsage(metric)) return { kind: 'unreported', have: open, needed: n }
  if (count.allowed.share <= 0) return { kind: 'open', have: open, needed: n }
  if (isLeftToPeople(count, circumstances, isPromise)) {
    return { kind: 'paused', have: circumstances.paused, needed: n }
  }
  const { neededAtLoad, isOverloaded } = circumstances
  if (isOverloaded) return { kind: 'load', have: n, needed: null }
  if (neededAtLoad !== null && n < neededAtLoad) {
    return { kind: 'load', have: n, needed: Math.ceil(neededAtLoad) }
  }
  const least = leastToDecide(count.allowed)
  if (least !== null && n < least) return { kind: 'few', have: n, needed: least }
  if (circumstances.isVaried && isHiddenByVariation(metric, count)) return plain('varied')
  if (!isOnOneSide) return plain('interval')
  if (open > 0 && isMetBy({ ...count, open: 0 })) return { kind: 'open', have: open, needed: n }
  return dependence(grounds, count, least ?? 0)
}

/** The interval lies on one side, but certainty takes more independent observations. */
function dependence({ more }: Grounds, count: BoundCount, least: number): Doubt {
  const { n } = count
  const effective = Math.min(count.effective, count.effectiveToMeet)
  const share = n === 0 ? 1 : effective / n
  const needed = Math.max(least, Math.ceil((n + (more ?? 0)) * share))
  return Math.floor(effective) < n
    ? { kind: 'dependent', have: Math.floor(effective), needed }
    : { kind: 'few', have: n, needed }
}

/** What would decide it. */
function undecidedStep({ kind, needed }: Doubt, grounds: Grounds): NextStep {
  const { count, more, circumstances } = grounds
  const n = count?.n ?? 0
  if (kind === 'interval') return intervalStep(grounds)
  if (kind === 'few' || kind === 'dependent') {
    const missing = Math.max((needed ?? 0) - (kind === 'few' ? n : 0), more ?? 0)
    return { code: 'run-longer', n, length: lengthFor(n, missing, circumstances) }
  }
  return kind === 'load' && needed !== null
    ? { code: 'measure-more', n, more: more ?? needed - n }
    : { code: 'resolve-doubt', n }
}

function intervalStep({ count, more, circumstances }: Grounds): NextStep {
  if (count === null) return { code: 'instances-overlap' }
  const { n, open, bad, effective, effectiveToMeet } = count
  if (more !== null && more > 0) {
    const length = lengthFor(n, more, circumstances)
    const independent = Math.floor(Math.min(effective, effectiveToMeet))
    return { code: 'narrow-interval', n, more, length, bad, independent }
  }
  if (open > 0) return { code: 'let-finish', n, open }
  return { code: more === 0 ? 'few-more' : 'equals-bound' }
}

/**
 * Whether those that still waited for a person decide: a promise is kept if its value keeps the
 * bound even with all of them bad; another threshold would be met with all of them good.
 */
function isLeftToPeople(count: BoundCount, { paused }: Circumstances, isPromise: boolean): boolean {
  const { bad, n, open, allowed } = count
  const waiting = Math.min(paused, open)
  if (waiting === 0) return false
  if (!isPromise) return isMetBy({ ...count, open: open - waiting })
  return bad + waiting >= badNeeded(n - open + waiting, allowed, 'value')
}

/** If all were independent, the bound would be met. */
function isHiddenByVariation(metric: string, count: BoundCount): boolean {
  return 'statistic' in metricNamed(metric) && isMetBy({ ...count, effectiveToMeet: count.n })
}

/** A run that was cut only has to finish, if its plan has enough executions. */
function lengthFor(n: number, more: number, { planned }: Circumstances): RunLength {
  const whole = n * planned
  if (planned > 1 && n + more <= whole) return null
  return { times: Math.ceil(((n + more) / whole) * 10) / 10, isBeyondPlan: planned > 1 }
}
