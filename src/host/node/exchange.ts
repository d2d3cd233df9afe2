/** One request and its answer on a lane: whatever happens becomes exactly one Answer. */
import { unreachable } from '../../base/assert.ts'
import type { Answer, Timing } from '../../crew/answer.ts'
import type { SendLimits } from '../../engine/host.ts'
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import { withoutByteOrderMark } from '../../base/utf8.ts'
import { PROXY_WANTS_CREDENTIALS } from './dial.ts'
import type { Deadlines, Expiring } from './clock.ts'
import type { Failure, Progress } from './failures.ts'
import type { AnswerSink, Head } from './http1/answer-parser.ts'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'

/** Decodes the bytes of a body to its text: content codings within a limit, lenient UTF-8. */
type Decoded =
  | { kind: 'text'; text: string }
  /**
   * The decoded bytes exceed the limit: decoding stops, so a decompression bomb costs no more
   * memory than the limit.
   */
  | { kind: 'too-large' }
  | { kind: 'undecodable'; detail: string }

type Decoder = (
  bytes: Buffer,
  options: { maxOutputLength: number },
  done: (error: Error | null, plain: Buffer) => void,
) => void

const DECODERS = new Map<string, Decoder>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflate],
  ['br', brotliDecompress],
])

/** Joins chunks and decodes UTF-8: invalid bytes become U+FFFD, a byte order mark is removed. */
export function decodeText(chunks: readonly Buffer[]): string {
  const only = chunks.length === 1 ? chunks[0] : undefined
  return withoutByteOrderMark((only ?? Buffer.concat(chunks)).toString('utf8'))
}

/**
 * True for a `content-encoding` that must be decoded; an unknown one is left unchanged, and the
 * reader finds it unreadable.
 */
function isEncoded(contentEncoding: string | undefined): contentEncoding is string {
  return contentEncoding !== undefined && DECODERS.has(contentEncoding.trim().toLowerCase())
}

/**
 * Decodes one content coding off the event loop; crewload requests none, but a target may send one
 * all the same. `done` is called once, later.
 */
function decodeBody(
  chunks: readonly Buffer[],
  contentEncoding: string,
  maxBytes: number,
  done: (decoded: Decoded) => void,
): void {
  const coding = contentEncoding.trim().toLowerCase()
  const decode = DECODERS.get(coding) ?? gunzip
  decode(Buffer.concat(chunks), { maxOutputLength: maxBytes }, (error, plain) => {
    if (error === null) return done({ kind: 'text', text: decodeText([plain]) })
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') return done({ kind: 'too-large' })
    done({ kind: 'undecodable', detail: `content-encoding ${coding}: ${code ?? error.message}` })
  })
}

/** What an exchange needs of the connection that carries it. */
interface Carrier {
  /** The exchange is the first on this connection. */
  readonly isNew: boolean
  /** The exchange is complete. `idleMs`: what the server said of idle connections, or null. */
  finish(reusable: boolean, idleMs: number | null): void
  /** Ends the connection; what is on its way is lost. */
  destroy(): void
}

/** What an exchange needs of the pool in which it waits for a connection. */
interface WriteQueue {
  /** Removes an exchange that no longer waits. */
  leave(exchange: Exchange): void
  /** True while a connection is being opened for this exchange. */
  isDialling(exchange: Exchange): boolean
}

/** The context that all exchanges of one host share. */
export interface ExchangeContext {
  now: () => Micros
  pool: WriteQueue
  deadlines: Deadlines
  /** Removes tokens from a detail. */
  redact: (detail: string) => string
  /** The failure when a proxy that forwards the requests wants credentials; null without one. */
  proxyRefusal: Failure | null
}

export class Exchange implements AnswerSink, Expiring {
  /**
   * The request as it is written on the connection, in ASCII up to the body; empty while it waits
   * for a token.
   */
  request = ''
  readonly #context: ExchangeContext
  readonly #limits: SendLimits
  readonly #done: (answer: Answer) => void
  readonly #releasedMicros: Micros
  readonly #deadlineSlot: number
  #lane: Carrier | null = null
  #sentMicros: Micros | null = null
  #newConnection = false
  #progress: Progress = 'nothing'
  #head: Head | null = null
  readonly #chunks: Buffer[] = []
  #received = 0
  #settled = false
  /** The engine's own call (`send`, a `Cancel`) is on the stack: `done` is then called after it. */
  #engineCalling = true

  constructor(
    context: ExchangeContext,
    limits: SendLimits,
    done: (answer: Answer) => void,
    releasedMicros = context.now(),
  ) {
    this.#context = context
    this.#limits = limits
    this.#done = done
    this.#releasedMicros = releasedMicros
    this.#deadlineSlot = context.deadlines.add(this.#releasedMicros + limits.timeoutMicros, this)
  }

  /** `send` has returned: from now on, `done` may be called at any time. */
  handedOver(): void {
    this.#engineCalling = false
  }

  /** A lane writes the request now. */
  boarded(lane: Carrier): void {
    this.#lane = lane
    this.#sentMicros = this.#context.now()
    this.#newConnection = lane.isNew
  }

  /** The part of the answer that has arrived. */
  get progress(): Progress {
    return this.#progress
  }

  get isSettled(): boolean {
    return this.#settled
  }

  cancel(): boolean {
    this.#engineCalling = true
    this.fail({ class: 'cancelled', detail: 'cancelled' })
    return this.#sentMicros !== null
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
      ...failure,
      detail: this.#context.redact(failure.detail),
      // By TLS 1.3 it may have been written before the target refused us, which read none of it.
      written: this.#sentMicros !== null && failure.class !== 'tls',
      status: this.#head?.status ?? null,
      timing: this.#timing(doneMicros),
    })
    if (this.#lane === null) this.#context.pool.leave(this)
    else this.#lane.destroy()
    this.#lane = null
  }

  onBegun(): void {
    this.#progress = 'begun'
  }

  onHead(head: Head): void {
    this.#progress = 'head'
    this.#head = head
    const { framing } = head
    if (framing.kind === 'length' && framing.bytes > this.#limits.maxBytes) this.#tooLarge()
  }

  onData(bytes: Buffer): void {
    this.#received += bytes.length
    if (this.#received > this.#limits.maxBytes) this.#tooLarge()
    else this.#chunks.push(bytes)
  }

  onComplete(reusable: boolean): void {
    if (this.#settled) return
    const doneMicros = this.#context.now()
    this.#freeLane(reusable)
    const { proxyRefusal } = this.#context
    if (proxyRefusal !== null && this.#head?.status === PROXY_WANTS_CREDENTIALS) {
      return this.fail(proxyRefusal, doneMicros)
    }
    const coding = this.#head?.headers['content-encoding']
    if (!isEncoded(coding) || this.#received === 0) {
      return this.#answer(decodeText(this.#chunks), doneMicros)
    }
    decodeBody(this.#chunks, coding, this.#limits.maxBytes, (decoded) =>
      this.#decoded(decoded, doneMicros),
    )
  }

  #overdue(): { class: Failure['class']; where: string } {
    if (this.#sentMicros !== null) return { class: 'timeout', where: this.#overdueAnswer() }
    if (this.request === '') return { class: 'timeout', where: 'still waiting for a token' }
    return this.#context.pool.isDialling(this)
      ? { class: 'connect-timeout', where: 'no connection' }
      : { class: 'timeout', where: 'still waiting for a free connection' }
  }

  #overdueAnswer(): string {
    switch (this.#progress) {
      case 'nothing':
        return 'no answer'
      case 'begun':
        return 'head incomplete'
      case 'head':
        return 'body incomplete'
      default:
        return unreachable(this.#progress)
    }
  }

  #tooLarge(): void {
    this.fail({ class: 'too-large', detail: `body over ${this.#limits.maxBytes} bytes` })
  }

  #freeLane(reusable: boolean): void {
    const lane = this.#lane
    this.#lane = null
    lane?.finish(reusable, this.#head?.keepAliveMs ?? null)
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
      status: this.#head?.status ?? 0,
      headers: this.#head?.headers ?? {},
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
   * An exception in `done` is a bug of ours: it must reach the top level, and leave the connection
   * as it is.
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
