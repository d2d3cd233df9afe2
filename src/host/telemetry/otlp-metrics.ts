/** The instruments of OpenTelemetry, pushed at an interval. */
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import type { Resource } from '@opentelemetry/resources'
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics'
import {
  AggregationType,
  InstrumentType,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import type { Meter } from '@opentelemetry/api'
import { unreachable } from '../../base/assert.ts'
import { MICROS_PER_SECOND } from '../../base/units.ts'
import type { MetricsExporter } from './live.ts'
import { Losses } from './losses.ts'
import type { Labels, TelemetryMetric, TelemetryName } from './metrics.ts'
import { TELEMETRY_METRICS } from './metrics.ts'

/** OpenTelemetry's default is a minute, for services; a load test needs shorter intervals. */
const DEFAULT_INTERVAL_MS = 5_000
const LONGEST_EXPORT_MS = 30_000

type Environment = Readonly<Record<string, string | undefined>>

export interface OtlpMetrics extends Pick<MetricsExporter, 'add'> {
  /** Sends the last values. May reject, or never settle. */
  shutdown(): Promise<void>
  losses: Losses
}

export function openMetrics(
  options: ConstructorParameters<typeof OTLPMetricExporter>[0],
  resource: Resource,
  version: string,
  env: Environment,
): OtlpMetrics {
  const losses = new Losses('batches of metrics')
  const exporter = losses.watch<ResourceMetrics, OTLPMetricExporter>(
    new OTLPMetricExporter({
      ...options,
      ...(isExponential(env) ? { aggregationPreference: exponential } : {}),
    }),
    () => 1,
  )
  const exportIntervalMillis = numberIn(env, 'OTEL_METRIC_EXPORT_INTERVAL') ?? DEFAULT_INTERVAL_MS
  const longest = numberIn(env, 'OTEL_METRIC_EXPORT_TIMEOUT') ?? LONGEST_EXPORT_MS
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis,
    exportTimeoutMillis: Math.min(longest, exportIntervalMillis),
  })
  const provider = new MeterProvider({ resource, readers: [reader] })
  return {
    add: instruments(provider.getMeter('crewload', version)),
    shutdown: async () => provider.shutdown(),
    losses,
  }
}

type Add = (value: number, labels: Labels) => void

function instruments(meter: Meter): MetricsExporter['add'] {
  const adders = new Map<TelemetryName, Add>(
    TELEMETRY_METRICS.map(([name, metric]) => [name, adderOf(meter, name, metric)]),
  )
  return (name, value, labels) => adders.get(name)!(value, labels)
}

function adderOf(meter: Meter, name: TelemetryName, metric: TelemetryMetric): Add {
  const { unit, help: description } = metric
  switch (metric.type) {
    case 'histogram': {
      const advice = { explicitBucketBoundaries: [...metric.bounds] }
      const histogram = meter.createHistogram(name, { unit, description, advice })
      return (micros, labels) => histogram.record(micros / MICROS_PER_SECOND, labels)
    }
    case 'counter': {
      const counter = meter.createCounter(name, { unit, description })
      return (value, labels) => counter.add(value, labels)
    }
    case 'gauge': {
      const counter = meter.createUpDownCounter(name, { unit, description })
      return (value, labels) => counter.add(value, labels)
    }
    default:
      return unreachable(metric)
  }
}

/** The native histograms of OpenTelemetry; the SDK itself does not read this variable. */
function isExponential(env: Environment): boolean {
  const name = 'OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION'
  return env[name]?.toLowerCase() === 'base2_exponential_bucket_histogram'
}

function exponential(type: InstrumentType):
  | { type: AggregationType.EXPONENTIAL_HISTOGRAM }
  | {
      type: AggregationType.DEFAULT
    } {
  return type === InstrumentType.HISTOGRAM
    ? { type: AggregationType.EXPONENTIAL_HISTOGRAM }
    : { type: AggregationType.DEFAULT }
}

function numberIn(env: Environment, name: string): number | null {
  const value = Number(env[name] ?? '')
  return Number.isFinite(value) && value > 0 ? value : null
}
