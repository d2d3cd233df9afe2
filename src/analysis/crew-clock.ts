/**
 * A time-lapse converted to the crew's clock: times as they would be without it. HTTP times are not
 * affected.
 */
import { familyOf, parseMetric } from '../scenario/thresholds/metrics/index.ts'
import type {
  DistributionResult,
  Metric,
  ResultDocument,
  Series,
  ThresholdResult,
} from './document.ts'
import type { SharedWaits } from './ledger/shared-waits.ts'
import { formatMs } from './metrics/format.ts'
import type { FaultResult, RecoveryResult, StallResult } from './disturbances.ts'

/** Times that only the ledger contains: no metrics. */
const LEDGER_TIMES: ReadonlySet<string> = new Set(['queue', 'quota', 'slowed', 'own', 'running'])

/** `12 min (11.7 s at speed 60)`: the crew's own time, with the time of this run beside it. */
export function crewTimeWords(ms: number, speed: number): string {
  return speed === 1 ? formatMs(ms) : `${formatMs(ms * speed)} (${formatMs(ms)} at speed ${speed})`
}

/** Whether a time-lapse divides this metric or family of times. */
export function isCrewTime(name: string): boolean {
  const reference = parseMetric(name) ?? parseMetric(`${name}.p50`)
  return reference === undefined
    ? LEDGER_TIMES.has(name.split('.', 1)[0] ?? '')
    : familyOf(reference).time === 'crew'
}

/**
 * Times are multiplied by the speed and rates divided by it; shares and counts stay. `speed` under
 * 1 converts back.
 */
export function metricOnCrewClock(name: string, metric: Metric, speed: number): Metric {
  if (!isCrewTime(name)) return metric
  const factor = metric.unit === 'ms' ? speed : metric.unit === 'perSecond' ? 1 / speed : 1
  const scaled = (value: Metric['value']): Metric['value'] =>
    typeof value === 'number' ? value * factor : value
  const { value, low, high } = metric
  return { ...metric, value: scaled(value), low: scaled(low), high: scaled(high) }
}

/** First the bound as its author wrote it, then the bound on this run's clock. */
export function thresholdOnCrewClock(result: ThresholdResult, speed: number): ThresholdResult {
  const { metric, operator, text } = result
  const { unit } = result.measured
  const isScaled = speed !== 1 && isCrewTime(metric) && (unit === 'ms' || unit === 'perSecond')
  if (!isScaled) return result
  const bound = unit === 'ms' ? result.bound * speed : result.bound / speed
  const [, now = '', before = ''] =
    /^[<>]=? ([^()]*) \(([^()]*) at speed [\d.]+\)$/.exec(text) ?? []
  const written = unit === 'ms' ? formatMs(bound) : `${bound}/s`
  return {
    ...result,
    bound,
    measured: metricOnCrewClock(metric, result.measured, speed),
    text:
      before === '' ? `${operator} ${written}` : `${operator} ${before} (${now} at speed ${speed})`,
  }
}

/**
 * Converts the whole document to the crew's clock, except for HTTP times, the length of the run
 * itself, the records of samples, and texts. At speed 1 it returns the same document.
 */
export function onCrewClock(document: ResultDocument): ResultDocument {
  const { speed } = document.run
  if (speed === 1) return document
  const metrics = (each: Record<string, Metric>): Record<string, Metric> =>
    mapValues(each, (metric, name) => metricOnCrewClock(name, metric, speed))
  return {
    ...document,
    metrics: metrics(document.metrics),
    tags: mapValues(document.tags, metrics),
    thresholds: document.thresholds.map((each) => thresholdOnCrewClock(each, speed)),
    errors: document.errors.map((each) => ({ ...each, firstMs: each.firstMs * speed })),
    distributions: mapValues(document.distributions, (each, name) =>
      isCrewTime(name) ? scaledDistribution(each, speed) : each,
    ),
    breakdown: document.breakdown.map(({ at, totalMs, parts }) => ({
      at,
      totalMs: totalMs * speed,
      parts: parts.map((part) => ({ ...part, ms: part.ms * speed })),
    })),
    series: scaledSeries(document.series, speed),
    faults: document.faults?.map((fault) => scaledFault(fault, speed)) ?? null,
    recoveries: document.recoveries.map((each) => recoveryOnCrewClock(each, speed)),
    ...(document.reportedLoad && {
      reportedLoad: { ...document.reportedLoad, meanMs: document.reportedLoad.meanMs * speed },
    }),
    ...(document.sharedWaits && { sharedWaits: scaledWaits(document.sharedWaits, speed) }),
    ...(document.stall && { stall: scaledStall(document.stall, speed) }),
    polling: {
      ...document.polling,
      points: document.polling.points.map(({ executionMs, polls }) => ({
        executionMs: executionMs * speed,
        polls,
      })),
    },
  }
}

export function recoveryOnCrewClock(recovery: RecoveryResult, speed: number): RecoveryResult {
  const { fromMs, toMs, untilMs, windowMs, afterMs } = recovery
  return {
    ...recovery,
    fromMs: fromMs * speed,
    toMs: toMs * speed,
    untilMs: untilMs * speed,
    windowMs: times(windowMs, speed),
    afterMs: times(afterMs, speed),
  }
}

function scaledWaits(waits: SharedWaits, speed: number): SharedWaits {
  const { ownMs, quotaMs, slowedMs } = waits
  return { ...waits, ownMs: ownMs * speed, quotaMs: quotaMs * speed, slowedMs: slowedMs * speed }
}

function scaledStall({ sinceMs, untilMs, accepted }: StallResult, speed: number): StallResult {
  return { sinceMs: sinceMs * speed, untilMs: untilMs * speed, accepted }
}

function scaledDistribution(distribution: DistributionResult, speed: number): DistributionResult {
  const { min, mean, max, quantiles, values, buckets } = distribution
  return {
    ...distribution,
    min: times(min, speed),
    mean: times(mean, speed),
    max: times(max, speed),
    quantiles: quantiles.map(({ q, value, low, high }) => ({
      q,
      value: value * speed,
      low: times(low, speed),
      high: typeof high === 'number' ? high * speed : high,
    })),
    ...(values !== undefined && { values: values.map((value) => value * speed) }),
    buckets: buckets.map(({ from, to, count }) => ({ from: from * speed, to: to * speed, count })),
  }
}

function scaledSeries(series: Series, speed: number): Series {
  const scaled = (values: Series['executionP50Ms']): Series['executionP50Ms'] =>
    values.map((value) => times(value, speed))
  return {
    ...series,
    intervalMs: series.intervalMs * speed,
    executionP50Ms: scaled(series.executionP50Ms),
    executionP95Ms: scaled(series.executionP95Ms),
    heat: { ...series.heat, edgesMs: series.heat.edgesMs.map((edge) => edge * speed) },
    bands: series.bands.map((band) => scaledSpan(band, speed)),
  }
}

function scaledFault(fault: FaultResult, speed: number): FaultResult {
  return { ...fault, bands: fault.bands.map((band) => scaledSpan(band, speed)) }
}

function scaledSpan<S extends { fromMs: number; toMs: number }>(span: S, speed: number): S {
  return { ...span, fromMs: span.fromMs * speed, toMs: span.toMs * speed }
}

function times(value: number | null, speed: number): number | null {
  return value === null ? null : value * speed
}

function mapValues<A, B>(
  record: Record<string, A>,
  change: (value: A, name: string) => B,
): Record<string, B> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, change(value, name)]),
  )
}
