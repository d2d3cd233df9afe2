/** OTLP over HTTP, as protobuf, with the SDK of OpenTelemetry. */
import { Agent } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import type { MetricsExporter } from './live.ts'
import { Traces } from './otlp-traces.ts'
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
import { Losses } from './losses.ts'
import type { Add, TelemetryMetric, TelemetryName } from './metrics.ts'
import { addSamples } from './metrics.ts'

/** The longest that the end of a run waits for the exporters. */
const CLOSE_WITHIN_MS = 5_000

export interface OtlpOptions {
  /** The base URL; null takes it from the environment, by default `http://localhost:4318`. */
  endpoint: URL | null
  /** The share of executions that are sent as traces, 0 to 1. */
  traces: number
  runId: string
  version: string
  env: Readonly<Record<string, string | undefined>>
}

/** Sends nothing before its first interval has passed. */
export function openOtlp({ endpoint, traces, runId, version, env }: OtlpOptions): MetricsExporter {
  const connection = new OtlpConnection(endpoint, env)
  const resource = resourceFromAttributes({
    'service.name': 'crewload',
    'service.version': version,
    'service.instance.id': runId,
  }).merge(detectResources({ detectors: [envDetector] }))
  const metrics = openMetrics(connection.optionsFor('METRICS'), resource, version, env)
  const spans =
    traces > 0 ? new Traces(connection.optionsFor('TRACES'), resource, version, traces) : null
  return {
    add: metrics.add,
    ...(spans === null ? {} : { saw: (line) => spans.saw(line) }),
    close: async () => {
      const patience = new AbortController()
      const flushed = Promise.allSettled([metrics.shutdown(), spans?.shutdown()])
      await Promise.race([
        flushed.finally(() => patience.abort()),
        sleep(CLOSE_WITHIN_MS, undefined, { signal: patience.signal }).catch(() => {}),
      ])
      connection.destroy()
      return [metrics.losses.told(), spans?.told() ?? null].filter((told) => told !== null)
    },
  }
}

/**
 * The default without a variable: less than the time for which the run waits for the last batch.
 */
const TIMEOUT_MS = 3_000

type OtlpSignal = 'METRICS' | 'TRACES'

interface ExporterOptions {
  url?: string
  timeoutMillis?: number
  httpAgentOptions: (protocol: string) => Agent
}

/**
 * How the exporters reach their endpoint: by the options, and by OTEL_* variables where one is
 * missing.
 */
class OtlpConnection {
  readonly #endpoint: URL | null
  readonly #env: OtlpOptions['env']
  readonly #agents: Agent[] = []

  /** `endpoint`: the base URL; null leaves it to the environment. */
  constructor(endpoint: URL | null, env: OtlpOptions['env']) {
    this.#endpoint = endpoint
    this.#env = env
  }

  optionsFor(signal: OtlpSignal): ExporterOptions {
    const timed = ['OTEL_EXPORTER_OTLP_TIMEOUT', `OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`]
    return {
      ...(this.#endpoint === null
        ? {}
        : { url: below(this.#endpoint, `v1/${signal.toLowerCase()}`) }),
      ...(timed.some((name) => (this.#env[name] ?? '') !== '')
        ? {}
        : { timeoutMillis: TIMEOUT_MS }),
      httpAgentOptions: (protocol) => this.#agent(protocol),
    }
  }

  /** Ends every exchange in progress. */
  destroy(): void {
    for (const agent of this.#agents) agent.destroy()
  }

  #agent(protocol: string): Agent {
    const agent = new (protocol === 'https:' ? SecureAgent : Agent)({ keepAlive: true })
    this.#agents.push(agent)
    return agent
  }
}

/**
 * As with `OTEL_EXPORTER_OTLP_ENDPOINT`: the path of the signal is appended to that of the
 * endpoint.
 */
function below(endpoint: URL, path: string): string {
  const url = new URL(endpoint)
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/${path}`
  return url.href
}

/** OpenTelemetry's default is a minute, for services; a load test needs shorter intervals. */
const DEFAULT_INTERVAL_MS = 5_000
const LONGEST_EXPORT_MS = 30_000

type OtlpEnvironment = Readonly<Record<string, string | undefined>>

interface OtlpMetrics extends Pick<MetricsExporter, 'add'> {
  /** Sends the last values. May reject, or never settle. */
  shutdown(): Promise<void>
  losses: Losses
}

function openMetrics(
  options: ConstructorParameters<typeof OTLPMetricExporter>[0],
  resource: Resource,
  version: string,
  env: OtlpEnvironment,
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
  const meter = provider.getMeter('crewload', version)
  return {
    add: addSamples((name, metric) => adderOf(meter, name, metric)),
    shutdown: async () => provider.shutdown(),
    losses,
  }
}

function adderOf(meter: Meter, name: TelemetryName, metric: TelemetryMetric): Add {
  const { unit, help: description } = metric
  if (metric.type === 'histogram') {
    const advice = { explicitBucketBoundaries: [...metric.bounds] }
    const histogram = meter.createHistogram(name, { unit, description, advice })
    return (seconds, labels) => histogram.record(seconds, labels)
  }
  const counter =
    metric.type === 'counter'
      ? meter.createCounter(name, { unit, description })
      : meter.createUpDownCounter(name, { unit, description })
  return (value, labels) => counter.add(value, labels)
}

/** The native histograms of OpenTelemetry; the SDK itself does not read this variable. */
function isExponential(env: OtlpEnvironment): boolean {
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

function numberIn(env: OtlpEnvironment, name: string): number | null {
  const value = Number(env[name] ?? '')
  return Number.isFinite(value) && value > 0 ? value : null
}
