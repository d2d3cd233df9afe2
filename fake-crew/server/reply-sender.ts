/** Sends replies over sockets: each part after its delay, or immediately when the server closes. */
import type { ServerResponse } from 'node:http'
import type { Micros } from '../../src/base/units.ts'
import { MICROS_PER_MS } from '../../src/base/units.ts'
import type { ServerClock } from './clock.ts'
import { ManualClock } from './clock.ts'
import type { Reply, Content, Delivery, Ending } from '../model/exchange.ts'
import type { Socket } from 'node:net'
import { unreachable } from '../../src/base/assert.ts'

/**
 * Written data must leave before the connection is broken: a reset drops whatever is still buffered
 * in the socket.
 */
const LEAVE_MS = 20

function writePart(
  { body }: Content,
  { bytes, ending }: Extract<Delivery, { kind: 'part' }>,
  response: ServerResponse,
): void {
  const part = Buffer.from(body ?? '').subarray(0, bytes)
  const { socket } = response
  const written = (): void => afterLeaving(() => endSocket(socket, ending), response)
  if (part.length > 0) {
    response.write(part, written)
  } else {
    response.flushHeaders()
    written()
  }
}

/** The response is over by then, so the socket is read before. */
function resetBehind({ body }: Content, response: ServerResponse): void {
  const { socket } = response
  response.end(body, () => {
    setTimeout(() => endSocket(socket, 'reset'), LEAVE_MS)
  })
}

function afterLeaving(act: () => void, response: ServerResponse): void {
  const timer = setTimeout(act, LEAVE_MS)
  response.once('close', () => clearTimeout(timer))
}

function endSocket(socket: Socket | null, ending: Ending): void {
  if (socket === null || socket.destroyed) return
  switch (ending) {
    case 'reset':
      socket.resetAndDestroy()
      break
    case 'close':
      socket.end()
      break
    case 'open':
      break
    default:
      unreachable(ending)
  }
}

/** The shortest delay that a timer accepts; shorter delays are skipped. */
const LEAST_DELAY_MICROS = 500

export class ReplySender {
  readonly #clock: ServerClock
  readonly #delayed = new Map<ServerResponse, { act: () => void; cancel: () => void }>()
  #closing = false

  constructor(clock: ServerClock) {
    this.#clock = clock
  }

  perform(reply: Reply, response: ServerResponse): void {
    if (this.#isNow(reply.delayMicros)) this.#deliver(reply, response)
    else this.#delay(reply.delayMicros, response, () => this.#deliver(reply, response))
  }

  /** Resumes a request when its time has come. */
  hold(holdMicros: Micros, response: ServerResponse, act: () => void): void {
    if (this.#isNow(holdMicros)) act()
    else this.#delay(holdMicros, response, act)
  }

  /** The client has disconnected: nothing is left to deliver. */
  forget(response: ServerResponse): void {
    this.#delayed.get(response)?.cancel()
    this.#delayed.delete(response)
  }

  /**
   * Delivers delayed replies immediately, and from now on closes each connection after its reply.
   */
  close(): void {
    this.#closing = true
    for (const { act, cancel } of this.#delayed.values()) {
      cancel()
      act()
    }
    this.#delayed.clear()
  }

  #isNow(delayMicros: Micros): boolean {
    return this.#closing || delayMicros < LEAST_DELAY_MICROS
  }

  #delay(micros: Micros, response: ServerResponse, act: () => void): void {
    const cancel = this.#clock.after(micros, () => {
      this.#delayed.delete(response)
      act()
    })
    this.#delayed.set(response, { act, cancel })
  }

  #deliver(reply: Reply, response: ServerResponse): void {
    const { delivery } = reply
    if (delivery.kind === 'nothing') return endSocket(response.socket, delivery.ending)
    this.#writeHead(reply, response)
    switch (delivery.kind) {
      case 'whole':
        response.end(reply.body)
        break
      case 'part':
        writePart(reply, delivery, response)
        break
      case 'whole-then-reset':
        resetBehind(reply, response)
        break
      case 'drip':
        this.#drip(reply, delivery, response)
        break
      default:
        unreachable(delivery)
    }
  }

  #writeHead({ status, headers, body }: Content, response: ServerResponse): void {
    const head: string[] = []
    for (const name in headers) head.push(name, headers[name]!)
    if (body !== null) head.push('content-length', String(Buffer.byteLength(body)))
    if (this.#closing) head.push('connection', 'close')
    if (this.#clock instanceof ManualClock && headers['date'] === undefined) {
      const unixMs = this.#clock.anchorUnixMs + this.#clock.nowMicros() / MICROS_PER_MS
      head.push('date', new Date(unixMs).toUTCString())
    }
    response.writeHead(status, head)
  }

  #drip(
    { body }: Content,
    { pieces, overMicros }: Extract<Delivery, { kind: 'drip' }>,
    response: ServerResponse,
  ): void {
    const bytes = Buffer.from(body ?? '')
    const stepMicros = overMicros / pieces
    response.flushHeaders()
    let piece = 0
    const beganMicros = this.#clock.nowMicros()
    const send = (): void => {
      const from = Math.floor((bytes.length * piece) / pieces)
      // No timer fires more often than once a millisecond: for shorter steps, each tick sends as
      // many pieces as are due.
      const due = Math.floor((this.#clock.nowMicros() - beganMicros) / stepMicros)
      piece = Math.min(pieces, Math.max(piece + 1, due))
      const to = Math.floor((bytes.length * piece) / pieces)
      if (to > from) response.write(bytes.subarray(from, to))
      if (piece === pieces) {
        response.end()
        return
      }
      cancel = this.#clock.after(stepMicros, send)
    }
    let cancel = this.#clock.after(stepMicros, send)
    response.once('close', () => cancel())
  }
}
