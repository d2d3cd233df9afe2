/**
 * Determines what became of each request of one connection, from the events of autocannon's client.
 */
import type { EventEmitter } from 'node:events'
import type { FailureClass } from '../../../../crew/answer.ts'
import type { AnswerCode } from '../../../../crew/observation.ts'
import type { Micros } from '../../../../base/units.ts'

export interface ConnectionObserver {
  /** A request is handed to the socket. It may never be sent when no connection is established. */
  sent(): void
  /** `tookMicros`: from handing it over to the last byte of the answer, or to the failure. */
  ended(end: AnswerCode, tookMicros: Micros): void
  /** The connection had to be opened again. */
  reopened(): void
  /** No more requests: the client's share of the budget is spent, or it was stopped. */
  done(): void
}

/**
 * Follows a client with one request in flight at a time, from `setupClient` on. Its own durations
 * cannot be used: after the target has closed a connection they are those of older requests, and
 * requests lost in that way are not counted at all. The returned function says since when a request
 * is in flight; null when none is.
 */
export function followConnection(
  client: EventEmitter,
  now: () => Micros,
  observer: ConnectionObserver,
): () => Micros | null {
  const request = new RequestOnItsWay(now, observer)
  client.on('request', () => request.began())
  client.on('headers', (head: { shouldKeepAlive?: boolean }) => request.head(head))
  client.on('response', (status: number) => request.answered(status))
  client.on('connError', (error: Error) => request.failed(failureClass(error)))
  client.on('timeout', () => request.timedOut())
  client.on('done', () => observer.done())
  return () => request.since
}

class RequestOnItsWay {
  readonly #now: () => Micros
  readonly #observer: ConnectionObserver
  /** When the request was handed over; null when there is none. */
  #since: Micros | null = null
  /** Whether the previous answer announced that the connection would be closed. */
  #closing = false
  /** The end of the request that was just cut, or null. */
  #cut: { end: AnswerCode } | null = null

  constructor(now: () => Micros, observer: ConnectionObserver) {
    this.#now = now
    this.#observer = observer
  }

  get since(): Micros | null {
    return this.#since
  }

  /**
   * A request that begins while another is in flight shows that the connection of the latter was
   * closed.
   */
  began(): void {
    if (this.#since !== null) this.#cutShort(this.#since)
    this.#since = this.#now()
    this.#observer.sent()
  }

  head({ shouldKeepAlive }: { shouldKeepAlive?: boolean }): void {
    this.#closing = shouldKeepAlive === false
  }

  answered(status: number): void {
    this.#end(status)
  }

  failed(failure: FailureClass): void {
    this.#observer.reopened()
    this.#closing = false
    this.#end(failure)
  }

  /** Reported right after the next request began, or alone when there is no next one. */
  timedOut(): void {
    if (this.#cut === null) this.#end('timeout')
    else this.#cut.end = 'timeout'
  }

  #end(end: AnswerCode): void {
    if (this.#since === null) return
    const tookMicros = this.#now() - this.#since
    this.#since = null
    this.#observer.ended(end, tookMicros)
  }

  /**
   * autocannon sends the next request although the target announced that it closes the connection:
   * the target is not at fault for that loss.
   */
  #cutShort(since: Micros): void {
    this.#observer.reopened()
    const announced = this.#closing
    this.#closing = false
    const tookMicros = this.#now() - since
    const cut: { end: AnswerCode } = { end: 'closed' }
    this.#cut = cut
    queueMicrotask(() => {
      this.#cut = null
      if (!announced || cut.end === 'timeout') this.#observer.ended(cut.end, tookMicros)
    })
  }
}

const CLASSES: Readonly<Record<string, FailureClass>> = {
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'closed',
  ETIMEDOUT: 'connect-timeout',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
}

function failureClass(error: NodeJS.ErrnoException): FailureClass {
  if (error instanceof UnverifiedTarget) return 'tls'
  if (error.syscall === 'getaddrinfo') return 'dns'
  const code = error.code ?? ''
  return CLASSES[code] ?? (/^ERR_(SSL|TLS)_/.test(code) ? 'tls' : 'other')
}

/** The target's certificate is not trusted. */
export class UnverifiedTarget extends Error {
  override name = 'UnverifiedTarget'
}
