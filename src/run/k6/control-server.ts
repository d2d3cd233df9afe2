/**
 * The server that tells the VUs of a run when to begin, and when to stop: WebSockets on loopback,
 * below a path that only they know.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { WebSocketServer } from 'ws'
import type { Host } from '../../engine/host.ts'
import type { ControlOrder } from '../../host/k6/script.ts'
import { leadMs } from '../../host/k6/script.ts'

export type ControlServer = Awaited<ReturnType<typeof openControlServer>>

/** All `vus` of the run begin at one time, soon after the last of them listens. */
export async function openControlServer(vus: number, clock: Pick<Host, 'unixMs'>) {
  const path = `/${randomBytes(16).toString('hex')}`
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  let last: ControlOrder | null = null
  const give = (order: ControlOrder): void => {
    last = order
    for (const socket of server.clients) socket.send(JSON.stringify(order))
  }
  server.on('connection', (socket) => {
    // A VU that ends in the middle of a message is no news: its records say how it ended.
    socket.on('error', () => {})
    if (last?.kind === 'stop') return socket.send(JSON.stringify(last))
    if (last !== null || server.clients.size < vus) return
    give({ kind: 'start', unixMs: clock.unixMs() + leadMs(vus) })
  })
  return {
    url: `ws://127.0.0.1:${port}${path}`,
    /** Gives the order to every VU; a stop also to those that ask later. */
    give,
    async close(): Promise<void> {
      for (const socket of server.clients) socket.terminate()
      server.close()
      await once(server, 'close')
    },
  }
}
