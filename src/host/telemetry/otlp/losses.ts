/** Counts the items that an OpenTelemetry exporter was given, and those that arrived. */

/** The callback of an exporter that is done with a batch: 0 is success. */
type Done = (result: { code: number; error?: Error }) => void

interface Exporter<Batch> {
  export(batch: Batch, done: Done): void
}

export class Losses {
  readonly #what: string
  #begun = 0
  #arrived = 0
  #reason: string | null = null

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
    exporter.export = (batch: Batch, done: Done): void => {
      const size = sizeOf(batch)
      this.#begun += size
      send(batch, (result) => {
        if (result.code === 0) this.#arrived += size
        else this.#reason ??= reasonOf(result.error)
        done(result)
      })
    }
    return exporter
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
