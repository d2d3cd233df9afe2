/** What to do about a threshold that was not met: the next step, in one sentence. */
import { unreachable } from '../../base/assert.ts'
import { familyOf, parseMetric } from '../../scenario/thresholds/metrics.ts'
import type { Doubt, Metric, ThresholdResult } from '../document.ts'
import { formatCount, plural } from '../../base/numbers.ts'
import { badNeeded, leastToDecide } from '../statistics/planning.ts'
import { countedNoun, doubtWords, isOfRequests, isOfUsage } from '../sentences/thresholds.ts'
import type { BoundCount } from './bound-count.ts'
import { isMetBy } from './bound-count.ts'

/** What of a run decides how its thresholds are judged, beside what was measured. */
export interface Circumstances {
  /**
   * The number of executions needed if the load of the crew is known and high; null if unknown, or
   * no more are needed.
   */
  neededAtLoad: number | null
  /** Arrivals need more than the workers can do, and the metric tells of waiting for them. */
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

/** Null if it was met, or not judged. */
export function hintFor(
  metric: string,
  status: ThresholdResult['status'],
  doubt: Doubt | null,
  grounds: Grounds,
): string | null {
  switch (status) {
    case 'met':
    case 'notJudged':
      return null
    case 'missed':
      return missHint(metric, grounds)
    case 'undecided':
      return doubt === null ? null : undecidedHint(metric, doubt, grounds)
    case 'unmeasurable':
      return 'nothing to measure'
    default:
      return unreachable(status)
  }
}

const OVERLOAD_HINT = 'lower the rate or add workers'
const NEVER_HINT = 'fix the most frequent reason first'

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

const FINISH = 'let the run finish'
const REMEDIES = {
  open: FINISH,
  paused: 'raise the deadline, or let somebody answer',
  unreported: 'let the crew report usage_metrics',
  varied: 'keep the rate of interest constant, or judge it by value',
}

/** The reason, and what would decide it. */
function undecidedHint(metric: string, doubt: Doubt, grounds: Grounds): string {
  const { count, more, circumstances } = grounds
  const n = count?.n ?? 0
  const words = doubtWords(metric, doubt, n)
  switch (doubt.kind) {
    case 'interval':
      return intervalHint(metric, grounds)
    case 'few':
    case 'dependent': {
      const missing = Math.max((doubt.needed ?? 0) - (doubt.kind === 'few' ? n : 0), more ?? 0)
      return `${words}: ${howLong(n, missing, circumstances)}`
    }
    case 'load':
      return doubt.needed === null
        ? `${words}; lower the rate`
        : `${words}: ${formatCount(more ?? doubt.needed - n)} more`
    case 'hidden':
      return isOfRequests(metric)
        ? `${words}: fix what does not answer`
        : `${words}: raise the deadline, or fix what is stuck`
    default:
      return `${words}: ${REMEDIES[doubt.kind]}`
  }
}

function intervalHint(metric: string, { count, more, circumstances }: Grounds): string {
  if (count === null) return 'not known exactly: the instances of the run overlap'
  const { n, open } = count
  const noun = countedNoun(metric)
  if (more !== null && more > 0) {
    const words = `about ${plural(more, `more ${noun}`)} would decide it`
    return `${words}, ${howLong(n, more, circumstances)}${whyMore(count)}`
  }
  if (open > 0) return `${formatCount(open)} of ${formatCount(n)} have not ended yet: ${FINISH}`
  return more === 0
    ? `a few more ${noun}s would decide it`
    : `the measured value equals the bound: no number of ${noun}s would decide it`
}

/** Why the number differs from the least that the plan names; empty if nothing does. */
function whyMore({ bad, n, allowed, effective, effectiveToMeet }: BoundCount): string {
  const independent = Math.floor(Math.min(effective, effectiveToMeet))
  const least = leastToDecide(allowed)
  const reasons = [
    ...(bad > 0 ? [`${formatCount(bad)} of ${formatCount(n)} are beyond the bound`] : []),
    ...(independent < n
      ? [`${formatCount(n)} count as ${formatCount(independent)} independent ones`]
      : []),
  ]
  if (reasons.length === 0) return ''
  return ` (${reasons.join(', and ')}${least === null ? '' : `; ${leastWords(least)} would do`})`
}

/** The fewest observations that can meet a bound, with what that takes: in plan and report. */
export function leastWords(least: number): string {
  return `${formatCount(least)} that are good and independent`
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
  const reference = parseMetric(metric)
  if (reference === undefined || !('statistic' in reference)) return false
  return isMetBy({ ...count, effectiveToMeet: count.n })
}

/** A run that was cut only has to finish, if its plan has enough executions. */
function howLong(n: number, more: number, { planned }: Circumstances): string {
  const whole = n * planned
  if (planned > 1 && n + more <= whole) return FINISH
  const times = Math.ceil(((n + more) / whole) * 10) / 10
  return (
    `a run ${times < 100 ? times : formatCount(Math.ceil(times))} times as ` +
    `long${planned > 1 ? ' as planned' : ''}`
  )
}

/** Says where to look first when the threshold of this metric was missed. */
function missHint(metric: string, { measured, circumstances }: Grounds): string {
  const reference = parseMetric(metric)
  if (circumstances.isOverloaded) return OVERLOAD_HINT
  if (measured.value === 'never') return NEVER_HINT
  return reference === undefined ? 'change the bound' : familyOf(reference).hint
}
