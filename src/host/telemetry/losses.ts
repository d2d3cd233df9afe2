/** Counts the items that an OpenTelemetry exporter was given, and those that arrived. */

import type { TelemetryNote } from '../../execution/record/notes.ts'

type LostItems = Extract<TelemetryNote, { code: 'telemetry-lost' }>

/** The callback of an exporter that is done with a batch: 0 is success. */
type ExportDone = (result: { code: number; error?: Error }) => void

interface Exporter<Batch> {
  export(batch: Batch, done: ExportDone): void
}

/** The answer to a batch, as the exporter's serializer reads it. */
interface Response {
  partialSuccess?: { rejectedDataPoints?: unknown; rejectedSpans?: unknown } | null
}

/**
 * The SDK (0.223) logs what a collector rejected, and calls the batch delivered: its serializer is
 * the only place that sees the answer. It runs right before the callback of the same batch.
 */
interface Internals {
  _delegate: { _serializer: { deserializeResponse(data: Uint8Array): Response } }
}

export class Losses {
  readonly #items: LostItems['items']
  #begun = 0
  #arrived = 0
  #reason: LostItems['why'] | null = null
  /** What the answer to the batch that is about to be counted says; null if it cannot be read. */
  #rejected: number | null = 0

  constructor(items: LostItems['items']) {
    this.#items = items
  }

  /**
   * Returns `exporter` itself, whose batches are counted from now on. `sizeOf`: the items in a
   * batch.
   */
  watch<Batch, E extends Exporter<Batch>>(exporter: E, sizeOf: (batch: Batch) => number): E {
    const send = exporter.export.bind(exporter)
    this.#readAnswers(exporter)
    exporter.export = (batch: Batch, done: ExportDone): void => {
      const size = sizeOf(batch)
      this.#begun += size
      send(batch, (result) => {
        if (result.code === 0) this.#answered(size)
        else this.#reason ??= reasonOf(result.error)
        done(result)
      })
    }
    return exporter
  }

  #readAnswers(exporter: object): void {
    const delegate = (exporter as Internals)._delegate
    const serializer = delegate._serializer
    delegate._serializer = {
      ...serializer,
      deserializeResponse: (data) => {
        this.#rejected = null
        const response = serializer.deserializeResponse(data)
        this.#rejected = isResponse(data) ? rejectedOf(response) : null
        return response
      },
    }
  }

  /** Items that were sent with success, as the exporter calls it. */
  #answered(size: number): void {
    const rejected = this.#rejected
    this.#rejected = 0
    if (rejected === null) this.#reason ??= { code: 'not-otlp' }
    else {
      this.#arrived += Math.max(0, size - rejected)
      if (rejected > 0) this.#reason ??= { code: 'rejected' }
    }
  }

  /**
   * Null if everything arrived. `of`: the number of items, if some may never have reached the
   * exporter. Default: the number that reached it.
   */
  lost(of = this.#begun): LostItems | null {
    const lost = of - this.#arrived
    if (lost <= 0) return null
    const code = this.#begun < of ? 'queue-full' : 'no-answer'
    return { code: 'telemetry-lost', items: this.#items, lost, of, why: this.#reason ?? { code } }
  }
}

/** Repeats no text of the endpoint, which is not trusted. */
function reasonOf(error: (Error & { code?: unknown }) | undefined): LostItems['why'] {
  const code = error?.code
  if (typeof code === 'number') return { code: 'answered', status: code }
  if (typeof code === 'string' && /^[A-Z_]{2,40}$/.test(code)) return { code: 'error', error: code }
  if (error?.message === 'Export failed with retryable status') return { code: 'busy' }
  return { code: error?.message === 'Request timed out' ? 'no-answer' : 'failed' }
}

/** Field 1, of length-delimited wire type, is all that an answer of OTLP may hold. */
const PARTIAL_SUCCESS = 0x0a

/** The decoder passes over what it does not know, so that a page of HTML can be an empty answer. */
function isResponse(data: Uint8Array): boolean {
  return data.length === 0 || data[0] === PARTIAL_SUCCESS
}

function rejectedOf({ partialSuccess }: Response): number {
  const { rejectedDataPoints, rejectedSpans } = partialSuccess ?? {}
  const rejected = Number(rejectedDataPoints ?? rejectedSpans ?? 0)
  return Number.isFinite(rejected) ? Math.max(0, rejected) : 0
}
