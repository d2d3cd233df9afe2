/** Creates a trace for each sampled execution when it has ended, with the times of its record. */
import type { Span, Tracer } from '@opentelemetry/api'
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import type { ExecutionRecord, RequestColumns } from '../../execution/record/record.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import { Losses } from './losses.ts'
import { isSampled, spanIdOf, traceIdOf } from './trace-context.ts'
import { endText } from '../../execution/record/reason.ts'
import { requestsIn } from '../../execution/record/request.ts'
import { isUnsent } from '../../execution/record/unsent.ts'
import type { Micros } from '../../base/units.ts'
import { isFine, ROUTES, statusLabel } from './live.ts'
import type { MeasuredOperation } from '../../crew/answer.ts'

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
export function traceOf(record: ExecutionRecord): PlannedTrace | null {
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
  return reason === null ? outcome : endText(reason)
}

function attributesOf(record: ExecutionRecord, omitted: number): PlannedSpan['attributes'] {
  const { index, instance, outcome, kickoffId, warmUp, tags } = record
  const told = Object.entries(tags).slice(0, MOST_TAGS)
  return {
    'crewload.index': index,
    'crewload.instance': instance,
    'crewload.outcome': outcome,
    'crewload.warm_up': warmUp,
    ...(kickoffId === null ? {} : { 'crewload.kickoff_id': shortened(kickoffId) }),
    ...(omitted === 0 ? {} : { 'crewload.polls_omitted': omitted }),
    ...Object.fromEntries(
      told.map(([name, value]) => [`crewload.tag.${shortened(name)}`, shortened(value)]),
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

export class Traces {
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

  told(): string | null {
    return this.#losses.told(this.#handed)
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
