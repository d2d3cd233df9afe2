/**
 * The server that tells the VUs of a run when to begin, and when to stop: WebSockets on loopback,
 * below a path that only they know.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { WebSocket } from 'ws'
import { WebSocketServer } from 'ws'
import type { Host } from '../../engine/host.ts'
import type { ControlOrder } from '../../host/k6/script.ts'
import { leadMs } from '../../host/k6/script.ts'

type Clock = Pick<Host, 'unixMs'>
type Stop = Extract<ControlOrder, { kind: 'stop' }>

export class ControlServer {
  readonly url: string
  /** The last one that was given. */
  stop: Stop | null = null
  readonly #server: WebSocketServer
  readonly #vus: number
  readonly #clock: Clock
  #start: ControlOrder | null = null

  /** All `vus` of the run begin at one time, soon after the last of them listens. */
  static async open(vus: number, clock: Clock): Promise<ControlServer> {
    const path = `/${randomBytes(16).toString('hex')}`
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path })
    await once(server, 'listening')
    return new ControlServer(server, path, vus, clock)
  }

  private constructor(server: WebSocketServer, path: string, vus: number, clock: Clock) {
    const { port } = server.address() as AddressInfo
    this.url = `ws://127.0.0.1:${port}${path}`
    this.#server = server
    this.#vus = vus
    this.#clock = clock
    server.on('connection', (socket) => this.#connected(socket))
  }

  /** Tells every VU, and those that ask later. */
  give(stop: Stop): void {
    this.stop = stop
    this.#tell(stop)
  }

  async close(): Promise<void> {
    for (const socket of this.#server.clients) socket.terminate()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #connected(socket: WebSocket): void {
    // A VU that ends in the middle of a message is no news: its records say how it ended.
    socket.on('error', () => {})
    if (this.stop !== null) return socket.send(JSON.stringify(this.stop))
    if (this.#start !== null || this.#server.clients.size < this.#vus) return
    this.#start = { kind: 'start', unixMs: this.#clock.unixMs() + leadMs(this.#vus) }
    this.#tell(this.#start)
  }

  #tell(order: ControlOrder): void {
    for (const socket of this.#server.clients) socket.send(JSON.stringify(order))
  }
}
