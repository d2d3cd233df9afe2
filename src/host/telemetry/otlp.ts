/** OTLP over HTTP, as protobuf, with the SDK of OpenTelemetry. */
import { Agent } from 'node:http'
import { Agent as SecureAgent } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import type { MetricsExporter } from './live.ts'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import type { Resource } from '@opentelemetry/resources'
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics'
import {
  AggregationType,
  InstrumentType,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import type { Meter, Span, Tracer } from '@opentelemetry/api'
import { Losses } from './losses.ts'
import type { Add, TelemetryMetric, TelemetryName } from './metrics.ts'
import { addSamples } from './metrics.ts'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import type { ExecutionRecord, RequestColumns } from '../../execution/record/record.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import { isSampled, spanIdOf, traceIdOf } from './trace-context.ts'
import { endReasonText } from '../../result/sentences/end-reasons.ts'
import { requestsIn } from '../../execution/record/request.ts'
import { isUnsent } from '../../execution/record/unsent.ts'
import type { Micros } from '../../base/units.ts'
import { isFine, ROUTES, statusLabel } from './live.ts'
import type { MeasuredOperation } from '../../crew/answer.ts'

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
      return [metrics.losses.lost(), spans?.lost() ?? null].filter((lost) => lost !== null)
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
  const losses = new Losses('metrics')
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

/** An ended execution as a trace: its requests are spans below one of the execution. */
interface PlannedSpan {
  name: string
  /** The start, on the clock of the instance. */
  startMicros: Micros
  endMicros: Micros
  attributes: Record<string, string | number | boolean>
  /** Null unless it failed. */
  error: string | null
}

interface PlannedTrace {
  execution: PlannedSpan
  requests: PlannedSpan[]
}

/** The most polls of a trace; a longer execution keeps those at its beginning and at its end. */
const MOST_POLLS = 200
const MOST_TAGS = 16
/** The most characters of a text that comes from a target, or from the inputs. */
const LONGEST_TEXT = 200

/**
 * Null for an arrival that was never sent. Nothing that a target answered becomes a name; what is
 * cited of it is short, and tokens were removed before the record was written.
 */
function traceOf(record: ExecutionRecord): PlannedTrace | null {
  if (isUnsent(record.outcome)) return null
  const kickoffs = requestsOf(record, 'kickoff', record.kickoff)
  const polls = requestsOf(record, 'status', record.polls)
  const kept =
    polls.length <= MOST_POLLS
      ? polls
      : [...polls.slice(0, MOST_POLLS / 2), ...polls.slice(-MOST_POLLS / 2)]
  return {
    execution: {
      name: 'execution',
      startMicros: record.intendedMicros,
      endMicros: record.endedMicros,
      attributes: attributesOf(record, polls.length - kept.length),
      error: record.outcome === 'completed' ? null : shortened(whyOf(record)),
    },
    requests: [...kickoffs, ...kept],
  }
}

function whyOf({ outcome, reason }: ExecutionRecord): string {
  return reason === null ? outcome : endReasonText(reason)
}

function attributesOf(record: ExecutionRecord, omitted: number): PlannedSpan['attributes'] {
  const { index, instance, outcome, kickoffId, warmUp, tags } = record
  const kept = Object.entries(tags).slice(0, MOST_TAGS)
  return {
    'crewload.index': index,
    'crewload.instance': instance,
    'crewload.outcome': outcome,
    'crewload.warm_up': warmUp,
    ...(kickoffId === null ? {} : { 'crewload.kickoff_id': shortened(kickoffId) }),
    ...(omitted === 0 ? {} : { 'crewload.polls_omitted': omitted }),
    ...Object.fromEntries(
      kept.map(([name, value]) => [`crewload.tag.${shortened(name)}`, shortened(value)]),
    ),
  }
}

function requestsOf(
  { intendedMicros }: ExecutionRecord,
  operation: MeasuredOperation,
  columns: RequestColumns,
): PlannedSpan[] {
  const route = ROUTES[operation]
  return requestsIn(columns, intendedMicros).map((request) => {
    const { answer, lateMicros, waitMicros, sentMicros, doneMicros } = request
    const fine = isFine(answer)
    return {
      name: `${route['http.request.method']} ${route['url.template']}`,
      startMicros: request.serviceMicros < 0 ? sentMicros - waitMicros : sentMicros,
      endMicros: doneMicros,
      attributes: {
        ...route,
        ...(typeof answer === 'number' ? { 'http.response.status_code': answer } : {}),
        ...(fine ? {} : { 'error.type': String(answer) }),
        ...(request.retry === 1 ? { 'crewload.retry': true } : {}),
        'crewload.late_ms': lateMicros / 1_000,
      },
      error: fine ? null : typeof answer === 'number' ? `HTTP ${statusLabel(answer)}` : answer,
    }
  })
}

function shortened(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT - 1)}…`
}

class Traces {
  readonly #share: number
  readonly #losses = new Losses('spans')
  readonly #provider: BasicTracerProvider
  readonly #tracer: Tracer
  /** Unix milliseconds of the zero of each instance. */
  readonly #zeros = new Map<number, number>()
  #runId = ''
  #handed = 0
  /** The ids of the span that is being created. */
  #ids = { trace: '', span: '' }

  /** `share` of all executions, 0 to 1. */
  constructor(
    options: ConstructorParameters<typeof OTLPTraceExporter>[0],
    resource: Resource,
    version: string,
    share: number,
  ) {
    this.#share = share
    const exporter = this.#losses.watch<ReadableSpan[], OTLPTraceExporter>(
      new OTLPTraceExporter(options),
      (spans) => spans.length,
    )
    this.#provider = new BasicTracerProvider({
      resource,
      sampler: new AlwaysOnSampler(),
      // Its queue is bounded: what does not fit is dropped.
      spanProcessors: [new BatchSpanProcessor(exporter)],
      idGenerator: {
        generateTraceId: () => this.#ids.trace,
        generateSpanId: () => this.#ids.span,
      },
    })
    this.#tracer = this.#provider.getTracer('crewload', version)
  }

  saw(line: JournalLine): void {
    if (line.type === 'run') {
      this.#runId = line.runId
      this.#zeros.set(line.instance, line.anchorUnixMs)
    }
    if (line.type === 'ended') this.#ended(line.record)
  }

  /** Sends what is queued. May reject, or never settle. */
  async shutdown(): Promise<void> {
    await this.#provider.shutdown()
  }

  lost(): ReturnType<Losses['lost']> {
    return this.#losses.lost(this.#handed)
  }

  #ended(record: ExecutionRecord): void {
    const { index, instance } = record
    const traceId = traceIdOf(this.#runId, index)
    const zeroMs = this.#zeros.get(instance)
    if (zeroMs === undefined || !isSampled(traceId, this.#share)) return
    const planned = traceOf(record)
    if (planned === null) return
    const make = (span: PlannedSpan, n: number, parent: Span | null): Span => {
      this.#ids = { trace: traceId, span: spanIdOf(this.#runId, index, n) }
      this.#handed++
      return this.#begun(span, zeroMs, parent)
    }
    const root = make(planned.execution, 0, null)
    for (const [i, request] of planned.requests.entries()) {
      make(request, i + 1, root).end(at(request.endMicros, zeroMs))
    }
    root.end(at(planned.execution.endMicros, zeroMs))
  }

  #begun(
    { name, startMicros, attributes, error }: PlannedSpan,
    zeroMs: number,
    parent: Span | null,
  ): Span {
    const kind = parent === null ? SpanKind.INTERNAL : SpanKind.CLIENT
    const context = parent === null ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent)
    const startTime = at(startMicros, zeroMs)
    const span = this.#tracer.startSpan(name, { kind, startTime, attributes }, context)
    if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: error })
    return span
  }
}

/** Returns seconds and nanoseconds, because a poll may take only two milliseconds. */
function at(micros: number, zeroMs: number): [number, number] {
  const wholeMicros = Math.round(zeroMs * MICROS_PER_MS) + micros
  const seconds = Math.floor(wholeMicros / 1_000_000)
  return [seconds, (wholeMicros - seconds * 1_000_000) * 1_000]
}
