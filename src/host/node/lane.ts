/** A lane: one open connection that carries one exchange after the other in HTTP/1.1. */
import type { Socket } from 'node:net'
import type { Exchange } from './exchange.ts'
import { answerFailure, brokenFailure } from './failures.ts'
import { AnswerParser, MalformedAnswer } from './http1/answer-parser.ts'
import type { HeadReader } from './http1/answer-parser.ts'

export interface LaneOptions {
  /**
   * After this idle time it is closed; a shorter time in the server's field `Keep-Alive`, less
   * `MARGIN_MS`, takes precedence.
   */
  keepAliveMs: number
  /** The same for all lanes to the target. */
  heads: HeadReader
}

/** What a lane tells the pool that opened it. */
export interface LaneEvents {
  /** The lane's exchange is complete, and the next may be written. */
  free(lane: ConnectionLane): void
  /** Called once, when the socket is gone. */
  closed(lane: ConnectionLane): void
}

/**
 * A request that is on its way when the server closes an idle connection would be lost, so that
 * lanes are closed this much earlier.
 */
const MARGIN_MS = 2_000

export class ConnectionLane {
  /** The exchange in progress. */
  exchange: Exchange | null = null
  readonly #socket: Socket
  readonly #parser: AnswerParser
  readonly #keepAliveMs: number
  readonly #events: LaneEvents
  #idleMs: number
  #written = 0
  #leaving = false

  constructor(socket: Socket, options: LaneOptions, events: LaneEvents) {
    this.#socket = socket
    this.#events = events
    this.#parser = new AnswerParser(options.heads)
    this.#keepAliveMs = options.keepAliveMs
    this.#idleMs = options.keepAliveMs
    socket.on('data', (bytes: Buffer) => this.#received(bytes))
    socket.on('end', () => this.#ended())
    socket.on('error', (error) => this.#fail(error))
    socket.once('close', () => {
      this.#ended()
      events.closed(this)
    })
    // The time starts again with each byte; while an exchange is in progress, its own limits count.
    socket.setTimeout(this.#idleMs).on('timeout', () => {
      if (this.exchange === null) socket.destroy()
    })
  }

  get usable(): boolean {
    return !this.#leaving && !this.#socket.destroyed
  }

  /** The next exchange is the first on this connection. */
  get isNew(): boolean {
    return this.#written === 0
  }

  /** Writes the request. */
  carry(exchange: Exchange): void {
    this.exchange = exchange
    exchange.boarded(this)
    this.#written++
    this.#parser.expect(exchange)
    this.#socket.write(exchange.request, 'utf8')
  }

  /** The exchange is complete. `idleMs`: what the server said of idle connections, or null. */
  finish(reusable: boolean, idleMs: number | null): void {
    this.exchange = null
    const restMs = Math.min(this.#keepAliveMs, idleMs === null ? Infinity : idleMs - MARGIN_MS)
    if (!reusable || restMs <= 0) return this.destroy()
    if (restMs !== this.#idleMs) {
      this.#idleMs = restMs
      this.#socket.setTimeout(restMs)
    }
    this.#events.free(this)
  }

  /** Ends the connection; what is on its way is lost. */
  destroy(): void {
    this.#leaving = true
    this.exchange = null
    this.#socket.destroy()
  }

  #received(bytes: Buffer): void {
    if (this.#leaving) return
    try {
      this.#parser.push(bytes)
    } catch (error) {
      if (!(error instanceof MalformedAnswer)) throw error
      this.#fail(error)
    }
  }

  /** The server has closed its side, or the connection is gone. */
  #ended(): void {
    if (this.#leaving) return
    if (!this.#parser.end()) this.exchange?.fail(brokenFailure(this.exchange.progress))
    this.destroy()
  }

  #fail(error: Error): void {
    const { exchange } = this
    if (exchange !== null) exchange.fail(answerFailure(error, exchange.progress))
    this.destroy()
  }
}
