/**
 * The server that tells the VUs of a run to stop: WebSockets on loopback, below a path that only
 * they know.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import type { Order } from '../../host/k6/script/control.ts'

export class ControlServer {
  readonly url: string
  readonly #server: WebSocketServer
  #order: Order = { stop: null }

  static async open(): Promise<ControlServer> {
    const path = `/${randomBytes(16).toString('hex')}`
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path })
    await once(server, 'listening')
    return new ControlServer(server, path)
  }

  private constructor(server: WebSocketServer, path: string) {
    const { port } = server.address() as AddressInfo
    this.url = `ws://127.0.0.1:${port}${path}`
    this.#server = server
    server.on('connection', (socket) => {
      // A VU that ends in the middle of a message is no news: its records say how it ended.
      socket.on('error', () => {})
      socket.send(JSON.stringify(this.#order))
    })
  }

  /** The last one that was given. */
  get order(): Order {
    return this.#order
  }

  /** Tells every VU, and those that ask later. */
  give(order: Order): void {
    this.#order = order
    for (const socket of this.#server.clients) socket.send(JSON.stringify(order))
  }

  async close(): Promise<void> {
    for (const socket of this.#server.clients) socket.terminate()
    this.#server.close()
    await once(this.#server, 'close')
  }
}
