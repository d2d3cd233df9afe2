/** Performs replies over sockets: after their delay, and at once when the server closes. */
import type { ServerResponse } from 'node:http'
import { unreachable } from '../../src/assert.ts'
import { MICROS_PER_MS } from '../../src/units.ts'
import type { Content, Reply } from '../model/exchange.ts'

/** A timer cannot be told less: shorter delays are none. */
const LEAST_DELAY_MICROS = 500

export class Performer {
  readonly #delayed = new Map<ServerResponse, { reply: Reply; timer: NodeJS.Timeout }>()
  #closing = false

  perform(reply: Reply, response: ServerResponse): void {
    if (this.#closing || reply.delayMicros < LEAST_DELAY_MICROS) {
      this.#deliver(reply, response)
      return
    }
    const timer = setTimeout(() => {
      this.#delayed.delete(response)
      this.#deliver(reply, response)
    }, reply.delayMicros / MICROS_PER_MS)
    this.#delayed.set(response, { reply, timer })
  }

  /** Its client has gone: nothing is left to deliver. */
  forget(response: ServerResponse): void {
    clearTimeout(this.#delayed.get(response)?.timer)
    this.#delayed.delete(response)
  }

  /** Delivers what is delayed at once, and from now on closes each connection after its reply. */
  close(): void {
    this.#closing = true
    for (const [response, { reply, timer }] of this.#delayed) {
      clearTimeout(timer)
      this.#deliver(reply, response)
    }
    this.#delayed.clear()
  }

  #deliver(reply: Reply, response: ServerResponse): void {
    switch (reply.delivery.kind) {
      case 'whole':
        writeWhole(reply, response, this.#closing)
        break
      default:
        unreachable(reply.delivery.kind)
    }
  }
}

function writeWhole({ status, headers, body }: Content, response: ServerResponse, last: boolean) {
  const head: string[] = []
  for (const name in headers) head.push(name, headers[name]!)
  if (body !== null) head.push('content-length', String(Buffer.byteLength(body)))
  if (last) head.push('connection', 'close')
  response.writeHead(status, head).end(body)
}
