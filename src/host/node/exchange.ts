/**
 * One request and its answer on a lane: undici's handler, which turns whatever happens into exactly
 * one Answer.
 */
import type { Dispatcher } from 'undici'
import type { Answer, Timing } from '../../crew/answer.ts'
import type { SendLimits } from '../../engine/host.ts'
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import { decodeBody, decodeText, isEncoded } from './body.ts'
import type { Decoded } from './body.ts'
import type { Deadlines, Expiring } from './deadlines.ts'
import { exchangeFailure } from './failures.ts'
import type { Failure } from './failures.ts'
import { LaneSpent } from './lane.ts'
import type { Lane } from './lane.ts'
import type { LanePool } from './pool.ts'

/** What all exchanges of one host share. */
export interface ExchangeContext {
  now: () => Micros
  pool: LanePool
  deadlines: Deadlines
  /** Removes tokens from a detail. */
  redact: (detail: string) => string
}

/** Maximum interim answers (1xx) before the final one. */
const MAX_INTERIM_ANSWERS = 100

export class Exchange implements Dispatcher.DispatchHandler, Expiring {
  readonly options: Dispatcher.DispatchOptions
  readonly #context: ExchangeContext
  readonly #limits: SendLimits
  readonly #done: (answer: Answer) => void
  readonly #releasedMicros: Micros
  readonly #deadlineSlot: number
  #lane: Lane | null = null
  #abort: ((error?: Error) => void) | null = null
  #sentMicros: Micros | null = null
  #newConnection = false
  #begun = false
  #interim = 0
  #status: number | null = null
  #headers: Record<string, string> = {}
  readonly #chunks: Buffer[] = []
  #received = 0
  #settled = false
  /** The engine's own call (`send`, a `Cancel`) is on the stack: `done` is then called after it. */
  #engineCalling = true

  constructor(
    context: ExchangeContext,
    options: Dispatcher.DispatchOptions,
    limits: SendLimits,
    done: (answer: Answer) => void,
  ) {
    this.#context = context
    this.options = options
    this.#limits = limits
    this.#done = done
    this.#releasedMicros = context.now()
    this.#deadlineSlot = context.deadlines.add(this.#releasedMicros + limits.timeoutMicros, this)
  }

  /** `send` returns: from now on, `done` may be called at any time. */
  handedOver(): void {
    this.#engineCalling = false
  }

  /** A lane has accepted it: it is written as soon as the lane is ready. */
  boarded(lane: Lane): void {
    this.#lane = lane
  }

  cancel(): void {
    this.#engineCalling = true
    this.fail({ class: 'cancelled', detail: 'cancelled' })
  }

  expire(): void {
    const { class: name, where } = this.#overdue()
    const limitMs = this.#limits.timeoutMicros / MICROS_PER_MS
    this.fail({ class: name, detail: `${where} after ${limitMs} ms` })
  }

  /** Ends the exchange; anything still in transit is lost with its connection. */
  fail(failure: Failure, doneMicros: Micros = this.#context.now()): void {
    if (this.#settled) return
    this.#settle({
      kind: 'failure',
      class: failure.class,
      detail: this.#context.redact(failure.detail),
      written: this.#sentMicros !== null,
      status: this.#status,
      timing: this.#timing(doneMicros),
    })
    if (this.#lane === null) this.#context.pool.leave(this)
    this.#abort?.()
    this.#abort = null
  }

  onConnect(abort: (error?: Error) => void): void {
    if (this.#settled) return abort()
    this.#abort = abort
    this.#sentMicros = this.#context.now()
    if (this.#lane !== null) this.#newConnection = this.#lane.written++ === 0
  }

  onResponseStarted(): void {
    this.#begun = true
  }

  onHeaders(status: number, raw: Buffer[]): boolean {
    if (status < 200) {
      if (++this.#interim > MAX_INTERIM_ANSWERS) {
        this.fail({ class: 'malformed-http', detail: 'flood of interim answers' })
      }
      return true
    }
    this.#status = status
    this.#headers = readHeaders(raw)
    if (Number(this.#headers['content-length']) > this.#limits.maxBytes) this.#tooLarge()
    return true
  }

  onData(chunk: Buffer): boolean {
    this.#received += chunk.length
    if (this.#received > this.#limits.maxBytes) this.#tooLarge()
    else this.#chunks.push(chunk)
    return true
  }

  onComplete(): void {
    const doneMicros = this.#context.now()
    this.#abort = null
    this.#freeLane()
    const coding = this.#headers['content-encoding']
    if (!isEncoded(coding) || this.#received === 0) {
      return this.#answer(decodeText(this.#chunks), doneMicros)
    }
    decodeBody(this.#chunks, coding, this.#limits.maxBytes, (decoded) =>
      this.#decoded(decoded, doneMicros),
    )
  }

  onError(error: Error): void {
    if (this.#settled) return
    const lane = this.#lane
    if (error instanceof LaneSpent && lane !== null) {
      lane.exchange = null
      this.#lane = null
      // A lane on which no request was ever written: the target accepts and closes. Retrying would
      // open connections without end.
      if (lane.written === 0) return this.fail({ class: 'closed', detail: 'closed when opened' })
      return this.#context.pool.reenter(this)
    }
    this.#abort = null
    const progress = this.#status === null ? (this.#begun ? 'begun' : 'nothing') : 'head'
    this.fail(exchangeFailure(error, progress))
    // undici did not take the request: the lane is still usable.
    if (this.#sentMicros === null) this.#freeLane()
  }

  #overdue(): { class: Failure['class']; where: string } {
    if (this.#sentMicros !== null) return { class: 'timeout', where: this.#overdueAnswer() }
    return this.#context.pool.isDialling(this)
      ? { class: 'connect-timeout', where: 'no connection' }
      : { class: 'timeout', where: 'still waiting for a free connection' }
  }

  #overdueAnswer(): string {
    if (this.#status !== null) return 'body incomplete'
    return this.#begun ? 'head incomplete' : 'no answer'
  }

  #tooLarge(): void {
    this.fail({ class: 'too-large', detail: `body over ${this.#limits.maxBytes} bytes` })
  }

  #freeLane(): void {
    const lane = this.#lane
    this.#lane = null
    if (lane === null) return
    if (this.#headers['connection']?.toLowerCase().includes('close') === true) lane.retire()
    this.#context.pool.release(lane)
  }

  #decoded(decoded: Decoded, doneMicros: Micros): void {
    switch (decoded.kind) {
      case 'text':
        return this.#answer(decoded.text, doneMicros)
      case 'too-large':
        return this.#tooLarge()
      case 'undecodable':
        return this.fail({ class: 'malformed-http', detail: decoded.detail }, doneMicros)
    }
  }

  #answer(body: string, doneMicros: Micros): void {
    if (this.#settled) return
    this.#settle({
      kind: 'answer',
      status: this.#status ?? 0,
      headers: this.#headers,
      body,
      timing: this.#timing(doneMicros),
    })
  }

  #timing(doneMicros: Micros): Timing {
    return {
      releasedMicros: this.#releasedMicros,
      sentMicros: this.#sentMicros,
      doneMicros,
      newConnection: this.#newConnection,
    }
  }

  #settle(answer: Answer): void {
    this.#settled = true
    this.#context.deadlines.remove(this.#deadlineSlot, this)
    if (this.#engineCalling) queueMicrotask(() => this.#deliver(answer))
    else this.#deliver(answer)
  }

  /**
   * An exception in `done` is a bug of ours: it must reach the top level, because undici would
   * treat it as the connection's error.
   */
  #deliver(answer: Answer): void {
    try {
      this.#done(answer)
    } catch (bug) {
      queueMicrotask(() => {
        throw bug
      })
    }
  }
}

/**
 * Names in lower case, repeated fields joined by a comma (RFC 9110, section 5.3); non-ASCII bytes
 * as Latin-1.
 */
function readHeaders(raw: readonly Buffer[]): Record<string, string> {
  const headers = Object.create(null) as Record<string, string>
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!.toString('latin1').toLowerCase()
    const value = raw[i + 1]!.toString('latin1')
    const before = headers[name]
    headers[name] = before === undefined ? value : `${before}, ${value}`
  }
  return headers
}
