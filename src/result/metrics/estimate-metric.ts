/** Estimates the metric of a name: a quantile such as its p95, a mean, a share or a count. */
import { unreachable } from '../../base/assert.ts'
import type { Statistic } from '../../scenario/thresholds/metrics.ts'
import {
  metricNamed,
  familyOf,
  METRIC_FAMILIES,
  namesIn,
} from '../../scenario/thresholds/metrics.ts'
import { MICROS_PER_MS, MICROS_PER_UNIT } from '../../base/units.ts'
import { effectiveBeyond, effectiveShare } from './correlation-size.ts'
import type { Metric } from '../document.ts'
import type { Measurable, Observations } from '../observations.ts'
import type { WindowTally } from '../counting/tallies/window.ts'
import type { ShareCount } from './family-measures.ts'
import { lifetimesOf, numberOf, shareCountOf } from './family-measures.ts'
import type { Reach } from '../statistics/quantiles.ts'
import { estimateCorrelated } from '../statistics/quantiles.ts'
import type { Lifetimes } from '../statistics/sample.ts'
import { sizeOf } from '../statistics/sample.ts'
import { shareInterval } from '../statistics/shares.ts'
import type { MetricFamily } from '../../scenario/thresholds/families.ts'

/** There are too few requests for inputs for any quantile. */
const SHOWN = {
  statistics: ['p50', 'p90', 'p95', 'p99', 'max', 'mean'],
  operations: ['kickoff', 'status'],
}

const GROUP_METRICS = namesOf('tags')
const RUN_METRICS = namesOf('run')

/** What is measured only where there is something to measure, and where a threshold names it. */
function isMeasured(
  name: string,
  { people, pushes, isPriced }: Measurable,
  group: WindowTally,
): boolean {
  const reference = metricNamed(name)
  const { needs } = familyOf(reference)
  switch (needs) {
    case null:
      return true
    case 'pushes':
      return pushes !== null
    case 'people':
      return people !== null
    case 'tokens':
    case 'prices':
      if (reference.kind === 'tokens') return group.usage.tokens[reference.which].n > 0
      return group.usage.parts.total.reported > 0 && (isPriced || needs === 'tokens')
    default:
      return unreachable(needs)
  }
}

function namesOf(part: MetricFamily['of']): string[] {
  return METRIC_FAMILIES.filter((family) => family.of === part).flatMap(({ pattern }) =>
    namesIn(pattern, SHOWN),
  )
}

/** Every metric of the standard set, of the checks that ran, and of the thresholds. */
export function estimateMetrics(
  observations: Observations,
  thresholds: readonly { metric: string }[],
): Record<string, Metric> {
  const isKnown = (name: string) => isMeasured(name, observations, observations.window)
  const names = new Set([
    ...GROUP_METRICS.filter(isKnown),
    ...checkMetrics(observations.window),
    ...RUN_METRICS.filter(isKnown),
    ...thresholds.map(({ metric }) => metric),
  ])
  return Object.fromEntries([...names].map((name) => [name, estimateMetric(name, observations)]))
}

/** By tag, the metrics that its part of the window has of its own. */
export function estimateTagMetrics(
  observations: Observations,
): Record<string, Record<string, Metric>> {
  return Object.fromEntries(
    [...observations.tags].map(([tag, group]) => {
      const known = GROUP_METRICS.filter((name) => isMeasured(name, observations, group))
      const names = [...known, ...checkMetrics(group)]
      const metrics = names.map((name) => [name, estimateMetric(name, observations, group)])
      return [tag, Object.fromEntries(metrics)]
    }),
  )
}

function checkMetrics(group: WindowTally): string[] {
  return [...group.checks.keys()].sort().map((name) => `checks.${name}`)
}

/**
 * The metric of that name over the measured window, or over one tag's part of it. Throws a Bug for
 * a name that is none.
 */
export function estimateMetric(
  name: string,
  observations: Measurable,
  group: WindowTally = observations.window,
): Metric {
  const reference = metricNamed(name)
  const isWindow = group === observations.window
  const { requests, pushes, people } = observations
  const part = isWindow ? { group, requests, pushes, people } : { group, requests: null }
  const series = isWindow ? observations.series : []
  const lifetimes = lifetimesOf(reference, part, observations.lateness)
  if (lifetimes !== null && 'statistic' in reference) {
    const effectiveAt = effectiveBeyond(series, reference, lifetimes)
    const { unit } = familyOf(reference)
    return sampleMetric(lifetimes, reference.statistic, effectiveAt, SCALES[unit] ?? COUNTED)
  }
  const share = shareCountOf(reference, part)
  if (share !== null) return shareMetric(share, effectiveShare(series, reference, group, share.n))
  return numberOf(reference, group, observations)
}

/** The unit that is shown, and how many of the counted one it has. */
interface UnitScale {
  unit: Metric['unit']
  size: number
}

const COUNTED: UnitScale = { unit: 'count', size: 1 }
const SCALES: Partial<Record<MetricFamily['unit'], UnitScale>> = {
  micros: { unit: 'ms', size: MICROS_PER_MS },
  money: { unit: 'money', size: MICROS_PER_UNIT },
}

/** A censored time is a bound and never a value: what it hides has its bound alone. */
function sampleMetric(
  lifetimes: Lifetimes,
  statistic: Statistic,
  effectiveAt: (micros: number) => number,
  { unit, size }: UnitScale,
): Metric {
  const scaled = (reach: Reach): Reach => (typeof reach === 'number' ? reach / size : reach)
  const { value, low, high, exceeds, needed, effective } = estimate(
    lifetimes,
    statistic,
    effectiveAt,
  )
  return {
    value: scaled(value),
    unit,
    low: scaled(low),
    high: scaled(high),
    ...(exceeds != null && { exceeds: exceeds / size }),
    n: sizeOf(lifetimes),
    never: lifetimes.never,
    needed,
    effective,
  }
}

interface TimeEstimate extends Pick<Metric, 'needed' | 'effective'> {
  value: Reach
  low: Reach
  high: Reach
  exceeds?: number | null
}

function estimate(
  lifetimes: Lifetimes,
  statistic: Statistic,
  effectiveAt: (micros: number) => number,
): TimeEstimate {
  switch (statistic.kind) {
    case 'quantile':
      return estimateCorrelated(lifetimes, statistic.q, effectiveAt)
    case 'min':
      return least(lifetimes)
    case 'max':
      return most(lifetimes)
    case 'mean':
      return mean(lifetimes)
    default:
      return unreachable(statistic)
  }
}

const UNKNOWN: TimeEstimate = { value: null, low: null, high: null, needed: null, effective: null }

/**
 * The shortest time of those that ended. It is unknown where one was given up sooner, which may
 * have ended before all others.
 */
function least({ ended, censored, never, unknown = 0 }: Lifetimes): TimeEstimate {
  if (unknown > 0) return { ...UNKNOWN, high: ended.min }
  const hidden = censored.min !== null && (ended.min === null || censored.min < ended.min)
  if (hidden) return { ...UNKNOWN, low: censored.min, high: ended.min }
  const value = ended.min === null && never > 0 ? 'never' : ended.min
  return { ...UNKNOWN, value }
}

/** Hidden where one was watched as long in vain as any that ended. */
function most({ ended, censored, never, unknown = 0 }: Lifetimes): TimeEstimate {
  if (unknown > 0) return { ...UNKNOWN, low: ended.max }
  if (never > 0) return { ...UNKNOWN, value: 'never' }
  const hidden = censored.max !== null && (ended.max === null || censored.max >= ended.max)
  return hidden ? { ...UNKNOWN, low: censored.max } : { ...UNKNOWN, value: ended.max }
}

/**
 * Hidden by any time watched in vain: with such times as they were watched it can only be too low,
 * and so it can with unknown values as 0.
 */
function mean({ ended, censored, never, unknown = 0 }: Lifetimes): TimeEstimate {
  if (never > 0) return { ...UNKNOWN, value: 'never' }
  const n = ended.n + censored.n + unknown
  if (n === 0) return UNKNOWN
  const watched = (ended.sum + censored.sum) / n
  return n === ended.n ? { ...UNKNOWN, value: watched } : { ...UNKNOWN, low: watched }
}

/**
 * A share whose open observations may belong to either side: they widen its interval, and do not
 * count in its value.
 */
function shareMetric({ hits, n, open }: ShareCount, effective: number): Metric {
  const known = n - open
  const low = shareInterval(hits, n, 0.95, effective)?.low ?? null
  const high = shareInterval(hits + open, n, 0.95, effective)?.high ?? null
  return {
    value: known <= 0 ? null : hits / known,
    unit: 'share',
    low,
    high,
    n: known,
    never: 0,
    needed: null,
    effective: n === 0 ? null : effective,
  }
}
