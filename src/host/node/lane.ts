/**
 * A lane: one open connection and the undici client that speaks HTTP/1.1 on it, one exchange at a
 * time.
 */
import type { Socket } from 'node:net'
import { Client } from 'undici'
import type { Exchange } from './exchange.ts'

export interface LaneOptions {
  origin: string
  /**
   * Idle for longer, it is closed; a shorter hint of the server's `Keep-Alive` less two seconds
   * goes first (undici's margin).
   */
  keepAliveMs: number
}

/**
 * Bytes of an answer's head; more is malformed. Node's servers take 16 KiB, nginx's proxies 32 KiB.
 */
const MAX_HEAD_BYTES = 65_536

/**
 * The connection went before the request was written on it: nothing was sent, so another lane may
 * carry the request.
 */
export class LaneSpent extends Error {
  override name = 'LaneSpent'
}

export class Lane {
  /** Requests written on this connection. */
  written = 0
  /** What it carries now. */
  exchange: Exchange | null = null
  readonly #socket: Socket
  readonly #client: Client
  #attached = false
  #leaving = false

  /** `onClosed` is called once, when the socket is gone. */
  constructor(socket: Socket, options: LaneOptions, onClosed: (lane: Lane) => void) {
    this.#socket = socket
    socket.once('close', () => onClosed(this))
    socket.setTimeout(options.keepAliveMs, () => socket.destroy())
    this.#client = new Client(options.origin, {
      pipelining: 1,
      keepAliveTimeout: options.keepAliveMs,
      keepAliveMaxTimeout: options.keepAliveMs,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEAD_BYTES,
      connect: (_, connected) => this.#attach(connected),
    })
  }

  get usable(): boolean {
    return !this.#leaving && !this.#socket.destroyed
  }

  carry(exchange: Exchange): void {
    this.exchange = exchange
    exchange.boarded(this)
    this.#client.dispatch(exchange.options, exchange)
  }

  /** No further exchange: the server said that it closes. */
  retire(): void {
    this.#leaving = true
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /**
   * undici asks once for a socket; asked again, the connection is gone, and undici shall not open
   * another.
   */
  #attach(connected: (...result: [null, Socket] | [Error, null]) => void): void {
    const fresh = !this.#attached
    this.#attached = true
    this.#socket.setTimeout(0)
    // Later, because undici does not look at its queue from within this call.
    queueMicrotask(() => {
      if (fresh && !this.#socket.destroyed) connected(null, this.#socket)
      else connected(new LaneSpent('connection gone before the request was written'), null)
    })
  }
}
