/**
 * Distributions for the figures: quantiles with their intervals as far as the sample carries them,
 * and log-spaced counts.
 */
import { MICROS_PER_MS, optionalMs } from '../../base/units.ts'
import type { MetricReference } from '../../scenario/thresholds/metrics.ts'
import type { DistributionResult } from '../document.ts'
import type { LedgerEvidence } from '../ledger/reconcile.ts'
import type { Observations } from '../observations.ts'
import { effectiveBeyond } from './correlation-size.ts'
import { estimateCorrelated, finite } from '../statistics/quantiles.ts'
import type { Bucket, Lifetimes, Sample } from '../statistics/sample.ts'
import { sizeOf, uncensored } from '../statistics/sample.ts'

/** Deciles, quartiles, and evenly spaced on a nines axis: each decade of 1 - q in steps. */
const QUANTILES = [
  0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.97, 0.98,
  0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999, 0.99999,
]

/** Edges at 10^(k/10): ten buckets a decade, about 26 % wide. */
const BUCKETS_PER_DECADE = 10

/** With fewer samples, most quantiles have no interval. */
const FEW = 20

/** The distributions of times that arrivals and requests took, and the metrics that are theirs. */
export const TIMED_METRICS = {
  execution: { kind: 'execution' },
  'execution.completed': { kind: 'completedExecution' },
  detectionDelay: { kind: 'detectionDelay' },
  'kickoff.response': { kind: 'kickoffResponse' },
  'kickoff.service': { kind: 'request', operation: 'kickoff', which: 'service' },
  'status.response': { kind: 'request', operation: 'status', which: 'response' },
  'status.service': { kind: 'request', operation: 'status', which: 'service' },
  'kickoff.socketWait': { kind: 'request', operation: 'kickoff', which: 'socketWait' },
  'status.socketWait': { kind: 'request', operation: 'status', which: 'socketWait' },
} as const

/** Each by its key: those of requests and of executions, and those that the ledger gives. */
export function distributions(
  observations: Observations,
  evidence: LedgerEvidence | null,
): Record<string, DistributionResult> {
  const { window, requests, lateness, reported, series } = observations
  const { kickoff, status, pushback } = requests
  const { shared } = evidence ?? { shared: null }
  const quota = (shared?.quota.max ?? 0) > 0
  const slowed = (shared?.slowed.max ?? 0) > 0
  const timed = (metric: keyof typeof TIMED_METRICS, times: Lifetimes): Row => {
    const referenceOf = (q: number): MetricReference => {
      return { ...TIMED_METRICS[metric], statistic: { kind: 'quantile', q } }
    }
    return [metric, distribution(times, (q) => effectiveBeyond(series, referenceOf(q), times))]
  }
  return Object.fromEntries([
    timed('execution', window.executions),
    timed('execution.completed', uncensored(window.completed)),
    timed('detectionDelay', window.detection),
    ...plain('queue', evidence?.queue),
    ...plain('running', evidence?.running),
    ...plain('running', evidence === null ? some(reported) : null),
    ...plain('quota', quota ? shared?.quota : null),
    ...plain('slowed', slowed ? shared?.slowed : null),
    ...plain('own', quota || slowed ? shared?.own : null),
    timed('kickoff.response', window.kickoffs),
    timed('kickoff.service', kickoff.service),
    timed('status.response', status.attempt),
    timed('status.service', status.service),
    timed('kickoff.socketWait', uncensored(kickoff.socketWait)),
    timed('status.socketWait', uncensored(status.socketWait)),
    ...plain('lateness', lateness),
    ...plain('retry.wait', some(pushback.retryWait)),
  ])
}

type Row = [key: string, distribution: DistributionResult]

function plain(key: string, sample: Sample | null | undefined): Row[] {
  return sample == null ? [] : [[key, distribution(uncensored(sample))]]
}

function some(sample: Sample): Sample | null {
  return sample.n > 0 ? sample : null
}

type EffectiveAt = (micros: number) => number

/**
 * `effectiveOf`: for a quantile, the independent observations that say as much as all, for what
 * lies beyond a time; default all of them.
 */
function distribution(
  lifetimes: Lifetimes,
  effectiveOf: (q: number) => EffectiveAt = () => () => Infinity,
): DistributionResult {
  const { ended, censored, never } = lifetimes
  return {
    n: sizeOf(lifetimes),
    censored: censored.n,
    never,
    min: optionalMs(ended.min),
    mean: ended.n === 0 ? null : optionalMs(ended.sum / ended.n),
    max: optionalMs(ended.max),
    quantiles: QUANTILES.flatMap((q) => quantilePoint(lifetimes, q, effectiveOf(q))),
    ...(sizeOf(lifetimes) < FEW && { values: ended.buckets().flatMap(valuesOf) }),
    buckets: logBuckets(ended.buckets()),
    clamped: ended.clamped + censored.clamped,
  }
}

function valuesOf({ value, count }: Bucket): number[] {
  return Array.from({ length: count }, () => value / MICROS_PER_MS)
}

function quantilePoint(
  lifetimes: Lifetimes,
  q: number,
  effectiveAt: EffectiveAt,
): DistributionResult['quantiles'] {
  const { value, low, high } = estimateCorrelated(lifetimes, q, effectiveAt)
  if (typeof value !== 'number') return []
  return [
    {
      q,
      value: value / MICROS_PER_MS,
      low: optionalMs(finite(low)),
      high: high === 'never' ? high : optionalMs(high),
    },
  ]
}

function logBuckets(buckets: readonly Bucket[]): DistributionResult['buckets'] {
  const counts = new Map<number, number>()
  for (const { value, count } of buckets) {
    const key = Math.floor(Math.log10(Math.max(1, value)) * BUCKETS_PER_DECADE)
    counts.set(key, (counts.get(key) ?? 0) + count)
  }
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([key, count]) => ({ from: edgeMs(key), to: edgeMs(key + 1), count }))
}

function edgeMs(key: number): number {
  return 10 ** (key / BUCKETS_PER_DECADE) / MICROS_PER_MS
}
