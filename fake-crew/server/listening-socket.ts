/**
 * Opens and closes the listening socket as the faults require: it is closed while new connections
 * are to be refused.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Server as NetServer } from 'node:net'
import { assert } from '../../src/base/assert.ts'
import { MICROS_PER_MS } from '../../src/base/units.ts'
import type { LiveModel } from './live-model.ts'

/** The longest delay that a timer accepts. */
const MAX_TIMER_MS = 0x7fff_ffff
/** Time between two attempts to get a port back that another process has taken meanwhile. */
const RETRY_MS = 200

export class ListeningSocket {
  readonly #server: Server
  readonly #live: LiveModel
  #address: { host: string; port: number } | null = null
  #timer: NodeJS.Timeout | undefined
  #stopped = false
  #cutMicros = -Infinity
  readonly #sockets = new Set<Socket>()

  constructor(server: Server, live: LiveModel) {
    this.#server = server
    this.#live = live
  }

  /** The server listens. */
  start(): void {
    const address = this.#server.address()
    assert(address !== null && typeof address === 'object', 'the server listens on a port')
    this.#address = { host: address.address, port: address.port }
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    this.#server.on('error', () => this.#again(RETRY_MS))
    this.#live.watchLine(() => this.#follow())
    this.#follow()
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #follow(): void {
    const { refusing, untilMicros, cutMicros } = this.#live.connectionState()
    if (cutMicros > this.#cutMicros) this.#cut()
    this.#cutMicros = cutMicros
    // `close` of an HTTP server would also end its idle connections.
    if (refusing && this.#server.listening) NetServer.prototype.close.call(this.#server)
    if (!refusing && !this.#server.listening) this.#server.listen(this.#address!)
    this.#again((untilMicros - this.#live.nowMicros()) / MICROS_PER_MS)
  }

  /** The control's connections stay open: otherwise nobody could read the ledger. */
  #cut(): void {
    for (const socket of this.#sockets) {
      if (this.#live.controls.has(socket)) this.#live.spared.add(socket)
      else socket.resetAndDestroy()
    }
  }

  #again(inMs: number): void {
    clearTimeout(this.#timer)
    if (this.#stopped || inMs === Infinity) return
    const waitMs = Math.min(Math.max(1, Math.ceil(inMs)), MAX_TIMER_MS)
    this.#timer = setTimeout(() => this.#follow(), waitMs)
  }
}
