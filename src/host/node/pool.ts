/** The pool: lanes to one target, and the queue of exchanges that wait for one. */
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Deadlines } from './clock.ts'
import { dial } from './dial.ts'
import type { DialRoute } from './dial.ts'
import type { Exchange } from './exchange.ts'
import type { Failure } from './failures.ts'
import { ConnectionLane } from './lane.ts'
import type { LaneEvents, LaneOptions } from './lane.ts'

export interface PoolOptions {
  route: DialRoute
  lanes: LaneOptions
  maxConnections: number
  connectTimeoutMicros: Micros
}

/** Parallel dials while pre-opening: well under the backlog of 511 of a Node server. */
const PRE_OPEN_AT_ONCE = 64

/**
 * A connection being opened for the exchange that found no lane: if it fails, that exchange fails
 * with it.
 */
interface Dial {
  owner: Exchange | null
  abandon(): void
}

/**
 * Exchanges wait first come, first served; each has its own deadline, which limits the queue. The
 * most recently used lane goes first, so that few lanes stay warm and the others may close.
 */
export class LanePool {
  /** Connections opened so far: TCP and TLS done. */
  opened = 0
  readonly #options: PoolOptions
  readonly #deadlines: Deadlines
  readonly #now: () => Micros
  readonly #lanes = new Set<ConnectionLane>()
  readonly #idle: ConnectionLane[] = []
  readonly #dials = new Set<Dial>()
  /** The exchanges for which they are being opened. */
  readonly #dialling = new Set<Exchange>()
  readonly #waiting = new Set<Exchange>()
  /** Exchanges that have a lane and are written at the end of this turn of the event loop. */
  readonly #boarding = new Map<Exchange, ConnectionLane>()
  readonly #laneEvents: LaneEvents = {
    free: (lane) => this.#release(lane),
    closed: (lane) => this.#laneClosed(lane),
  }
  #boards: NodeJS.Immediate | null = null
  #closed = false

  constructor(options: PoolOptions, deadlines: Deadlines, now: () => Micros) {
    this.#options = options
    this.#deadlines = deadlines
    this.#now = now
  }

  /** Opens lanes in advance; those that cannot be opened are left out. */
  async preOpen(count: number): Promise<void> {
    const wanted = Math.min(count, this.#options.maxConnections)
    for (let opened = 0; opened < wanted; opened += PRE_OPEN_AT_ONCE) {
      const batch = Math.min(PRE_OPEN_AT_ONCE, wanted - opened)
      await Promise.all(
        Array.from({ length: batch }, () => new Promise<void>((done) => this.#dial(null, done))),
      )
    }
  }

  enter(exchange: Exchange): void {
    const lane = this.#takeIdle()
    if (lane !== null) return this.#board(exchange, lane)
    this.#waiting.add(exchange)
    if (this.#mayDial) this.#dial(exchange)
  }

  /** Removes an exchange that no longer waits. */
  leave(exchange: Exchange): void {
    this.#waiting.delete(exchange)
    const lane = this.#boarding.get(exchange)
    if (lane === undefined) return
    this.#boarding.delete(exchange)
    this.#release(lane)
  }

  /** True while a connection is being opened for this exchange. */
  isDialling(exchange: Exchange): boolean {
    return this.#dialling.has(exchange)
  }

  /** A lane is free: it is new, or has finished its exchange. */
  #release(lane: ConnectionLane): void {
    if (!lane.usable) return
    this.#idle.push(lane)
    this.#serve()
  }

  /** Ends every connection; exchanges in flight or waiting are cancelled. */
  close(): void {
    this.#closed = true
    for (const entry of this.#dials) entry.abandon()
    this.#dials.clear()
    for (const exchange of [...this.#boarding.keys(), ...this.#waiting]) exchange.cancel()
    if (this.#boards !== null) clearImmediate(this.#boards)
    for (const lane of this.#lanes) {
      lane.exchange?.cancel()
      lane.destroy()
    }
  }

  get #mayDial(): boolean {
    return !this.#closed && this.#lanes.size + this.#dials.size < this.#options.maxConnections
  }

  /**
   * The server may have closed the lane, and that event may still be pending in this turn of the
   * event loop: a request written now would be lost. It is therefore written at the end of the
   * turn, on another lane if necessary. A new lane gets its request immediately, so that a target
   * that accepts connections and closes them is not dialled in a loop.
   */
  #board(exchange: Exchange, lane: ConnectionLane): void {
    if (lane.isNew) return lane.carry(exchange)
    this.#boarding.set(exchange, lane)
    this.#boards ??= setImmediate(() => this.#carryBoarded())
  }

  #carryBoarded(): void {
    this.#boards = null
    const boarded = [...this.#boarding]
    this.#boarding.clear()
    for (const [exchange, lane] of boarded) {
      if (lane.usable) lane.carry(exchange)
      else this.enter(exchange)
    }
  }

  #takeIdle(): ConnectionLane | null {
    for (;;) {
      const lane = this.#idle.pop()
      if (lane === undefined) return null
      if (lane.usable) return lane
    }
  }

  #takeWaiting(): Exchange | null {
    for (const exchange of this.#waiting) {
      this.#waiting.delete(exchange)
      return exchange
    }
    return null
  }

  /** Assigns idle lanes to waiting exchanges, and opens lanes for the rest. */
  #serve(): void {
    while (this.#waiting.size > 0) {
      const lane = this.#takeIdle()
      if (lane === null) break
      const exchange = this.#takeWaiting()
      if (exchange !== null) this.#board(exchange, lane)
    }
    for (const exchange of this.#waiting) {
      if (!this.#mayDial || this.#dials.size >= this.#waiting.size) return
      if (!this.isDialling(exchange)) this.#dial(exchange)
    }
  }

  #dial(owner: Exchange | null, done?: () => void): void {
    const end = (failure: Failure | null): void => {
      this.#dials.delete(entry)
      if (owner !== null) this.#dialling.delete(owner)
      this.#deadlines.remove(slot, deadline)
      if (failure !== null) this.#dialFailed(entry, failure)
      done?.()
    }
    const giveUp = dial(this.#options.route, (outcome) => {
      if ('class' in outcome) return end(outcome)
      this.opened++
      const lane = new ConnectionLane(outcome, this.#options.lanes, this.#laneEvents)
      this.#lanes.add(lane)
      end(null)
      this.#release(lane)
    })
    const deadline = {
      expire: (): void => {
        giveUp()
        const limitMs = this.#options.connectTimeoutMicros / MICROS_PER_MS
        end({ class: 'connect-timeout', detail: `no connection within ${limitMs} ms` })
      },
    }
    const abandon = (): void => {
      this.#deadlines.remove(slot, deadline)
      giveUp()
      done?.()
    }
    const entry: Dial = { owner, abandon }
    this.#dials.add(entry)
    if (owner !== null) this.#dialling.add(owner)
    const slot = this.#deadlines.add(this.#now() + this.#options.connectTimeoutMicros, deadline)
  }

  /** Another lane may have served the owner meanwhile: then the failure affects nobody. */
  #dialFailed({ owner }: Dial, failure: Failure): void {
    if (owner !== null && this.#waiting.has(owner)) owner.fail(failure)
    this.#serve()
  }

  #laneClosed(lane: ConnectionLane): void {
    this.#lanes.delete(lane)
    const place = this.#idle.indexOf(lane)
    if (place !== -1) this.#idle.splice(place, 1)
    if (!this.#closed) this.#serve()
  }
}
