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
import type { ExecutionRecord } from '../../execution/record/record.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import { Losses } from './losses.ts'
import type { PlannedSpan } from './spans.ts'
import { traceOf } from './spans.ts'
import { isSampled, spanIdOf, traceIdOf } from './trace-context.ts'

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
