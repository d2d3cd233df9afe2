/**
 * The simulated connections to the crew, and the queue of exchanges that wait for one: the rules of
 * the Node host's pool.
 */
import type { FailureClass } from '../../crew/answer.ts'
import type { ConnectionState } from '../../../fake-crew/model/faults/connections.ts'
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { NetworkDraws } from './network.ts'
import type { EventQueue } from './timeline.ts'

/** One open connection; it carries one exchange at a time. */
export interface Connection {
  /** Number of requests written on it. */
  written: number
  idleSinceMicros: Micros
}

/** An exchange that needs a connection. */
export interface WaitingExchange {
  /** Takes its connection, which is free. */
  assign(connection: Connection): void
  /** No byte was written: the connection that was to be opened for it failed. */
  fail(name: FailureClass, detail: string): void
  /** A connection is being opened for this exchange. */
  dialling: boolean
}

export interface ConnectionOptions {
  maxConnections: number
  connectTimeoutMicros: Micros
  keepAliveMicros: Micros
}

/**
 * First come, first served. The most recently used connection goes first, so that few stay warm.
 * One that is idle for `keepAliveMicros` closes, which needs no event: the longest-idle ones are at
 * the bottom, and found closed when they are needed.
 */
export class ConnectionPool {
  /** Number opened so far. */
  opened = 0
  readonly #options: ConnectionOptions
  readonly #timeline: EventQueue
  readonly #draws: NetworkDraws
  readonly #connectionState: () => ConnectionState
  #idle: Connection[] = []
  /** Carrying an exchange. */
  #busy = 0
  #dials = 0
  readonly #waiting = new Set<WaitingExchange>()

  /** `connectionState` returns how the crew currently treats connections. */
  constructor(
    options: ConnectionOptions,
    timeline: EventQueue,
    draws: NetworkDraws,
    connectionState: () => ConnectionState,
  ) {
    this.#connectionState = connectionState
    this.#options = options
    this.#timeline = timeline
    this.#draws = draws
  }

  /** Opens connections in advance, all at once; those that cannot be opened are left out. */
  preOpen(count: number): void {
    const wanted = Math.min(count, this.#options.maxConnections)
    for (let i = 0; i < wanted; i++) this.#dial(null)
  }

  /** Returns true if it got a connection immediately. */
  enter(exchange: WaitingExchange): boolean {
    const connection = this.#takeIdle()
    if (connection !== null) {
      this.#assign(exchange, connection)
      return true
    }
    this.#waiting.add(exchange)
    if (this.#mayDial) this.#dial(exchange)
    return false
  }

  /** Removes one that no longer waits. */
  leave(exchange: WaitingExchange): void {
    this.#waiting.delete(exchange)
  }

  /** Frees the connection, because its exchange is finished. */
  release(connection: Connection): void {
    this.#busy--
    this.#rest(connection)
    this.#serve()
  }

  /**
   * Drops the connection of an exchange that was cancelled or failed: it cannot be used any more.
   */
  discard(): void {
    this.#busy--
    this.#serve()
  }

  get #mayDial(): boolean {
    return this.#idle.length + this.#busy + this.#dials < this.#options.maxConnections
  }

  #rest(connection: Connection): void {
    connection.idleSinceMicros = this.#timeline.now
    this.#idle.push(connection)
  }

  #assign(exchange: WaitingExchange, connection: Connection): void {
    this.#busy++
    exchange.assign(connection)
  }

  /** When the connection idle for the shortest time has expired or was cut, all have. */
  #takeIdle(): Connection | null {
    const connection = this.#idle.pop()
    if (connection === undefined) return null
    const idleMicros = this.#timeline.now - connection.idleSinceMicros
    const isCut = connection.idleSinceMicros < this.#connectionState().cutMicros
    if (!isCut && idleMicros < this.#options.keepAliveMicros) return connection
    this.#idle = []
    return null
  }

  /** Assigns idle connections to waiting exchanges, and opens connections for the rest. */
  #serve(): void {
    for (const exchange of this.#waiting) {
      const connection = this.#takeIdle()
      if (connection === null) break
      this.#waiting.delete(exchange)
      this.#assign(exchange, connection)
    }
    for (const exchange of this.#waiting) {
      if (!this.#mayDial || this.#dials >= this.#waiting.size) return
      if (!exchange.dialling) this.#dial(exchange)
    }
  }

  #dial(owner: WaitingExchange | null): void {
    const { connectTimeoutMicros } = this.#options
    const { takesMicros, lost } = this.#draws.setUp()
    const fails = lost || takesMicros > connectTimeoutMicros
    this.#dials++
    if (owner !== null) owner.dialling = true
    const settle = (): void => {
      this.#dials--
      if (owner !== null) owner.dialling = false
      if (fails) this.#dialFailed(owner, 'connect-timeout')
      else if (this.#connectionState().refusing) this.#dialFailed(owner, 'refused')
      else this.#dialled()
    }
    const after = fails ? connectTimeoutMicros : takesMicros
    this.#timeline.at(this.#timeline.now + after, { happen: settle })
  }

  #dialled(): void {
    this.opened++
    this.#rest({ written: 0, idleSinceMicros: 0 })
    this.#serve()
  }

  /** The owner may have got another connection meanwhile: then the failure affects nobody. */
  #dialFailed(owner: WaitingExchange | null, name: 'connect-timeout' | 'refused'): void {
    if (owner !== null && this.#waiting.delete(owner)) {
      const limitMs = this.#options.connectTimeoutMicros / MICROS_PER_MS
      owner.fail(name, name === 'refused' ? 'refused' : `no connection within ${limitMs} ms`)
    }
    this.#serve()
  }
}
