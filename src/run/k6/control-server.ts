/**
 * The server that the VUs of a run ask whether to stop: HTTP on loopback, below a path that only
 * they know.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Order } from '../../host/k6/script/control.ts'

export interface ControlServer {
  readonly url: string
  /** The answer from now on. */
  order: Order
  close(): Promise<void>
}

export async function openControlServer(): Promise<ControlServer> {
  const path = `/${randomBytes(16).toString('hex')}`
  const server = createServer((request, response) => {
    request.resume()
    const known = request.url === path
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(known ? control.order : {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const control: ControlServer = {
    url: `http://127.0.0.1:${port}${path}`,
    order: { stop: null },
    close: async () => closed(server),
  }
  return control
}

async function closed(server: Server): Promise<void> {
  const end = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await end
}
