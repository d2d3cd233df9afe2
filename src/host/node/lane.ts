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
   * After this idle time it is closed; a shorter hint in the server's `Keep-Alive`, minus two
   * seconds, takes precedence (undici's margin).
   */
  keepAliveMs: number
}

/**
 * Maximum bytes of an answer's head; a longer one is malformed. Node's servers accept 16 KiB,
 * nginx's proxies 32 KiB.
 */
const MAX_HEAD_BYTES = 65_536

/**
 * The connection closed before the request was written on it: nothing was sent, so another lane may
 * carry the request.
 */
export class LaneSpent extends Error {
  override name = 'LaneSpent'
}

export class Lane {
  /** Number of requests written on this connection. */
  written = 0
  /** The exchange in progress. */
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

  /** No further exchange: the server announced that it closes. */
  retire(): void {
    this.#leaving = true
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /**
   * undici asks for a socket once; a second call means that the connection is gone, and undici must
   * not open another.
   */
  #attach(connected: (...result: [null, Socket] | [Error, null]) => void): void {
    const fresh = !this.#attached
    this.#attached = true
    this.#socket.setTimeout(0)
    // Deferred, because undici does not look at its queue within this call.
    queueMicrotask(() => {
      if (fresh && !this.#socket.destroyed) connected(null, this.#socket)
      else connected(new LaneSpent('connection gone before the request was written'), null)
    })
  }
}
