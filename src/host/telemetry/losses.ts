/** Counts the items that an OpenTelemetry exporter was given, and those that arrived. */

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
  readonly #what: string
  #begun = 0
  #arrived = 0
  #reason: string | null = null
  /** What the answer to the batch that is about to be told says; null if it cannot be read. */
  #rejected: number | null = 0

  /** `what` names the items, in the plural: `batches of metrics`. */
  constructor(what: string) {
    this.#what = what
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
    if (rejected === null) this.#reason ??= 'the answer is not one of OTLP'
    else {
      this.#arrived += Math.max(0, size - rejected)
      if (rejected > 0) this.#reason ??= 'it rejected them (partial success)'
    }
  }

  /**
   * A sentence about the loss; null if everything arrived. `handed`: the number of items, if some
   * may never have reached the exporter. Default: the number that reached it.
   */
  told(handed = this.#begun): string | null {
    const lost = handed - this.#arrived
    if (lost <= 0) return null
    const reason =
      this.#reason ?? (this.#begun < handed ? 'the queue was full' : 'no answer in time')
    return `OTLP: ${lost} of ${handed} ${this.#what} were lost: ${reason}`
  }
}

/** Repeats no text of the endpoint, which is not trusted. */
function reasonOf(error: (Error & { code?: unknown }) | undefined): string {
  const code = error?.code
  if (typeof code === 'number') return `it answered ${code}`
  if (typeof code === 'string' && /^[A-Z_]{2,40}$/.test(code)) return code
  if (error?.message === 'Export failed with retryable status') {
    return 'it kept answering 429, 502, 503 or 504'
  }
  return error?.message === 'Request timed out' ? 'no answer in time' : 'the request failed'
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
