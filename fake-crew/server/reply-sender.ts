/** Sends replies over sockets: each part after its delay, or immediately when the server closes. */
import type { ServerResponse } from 'node:http'
import type { Micros } from '../../src/base/units.ts'
import { MICROS_PER_MS } from '../../src/base/units.ts'
import type { Reply } from '../model/exchange.ts'
import { deliver } from './delivery.ts'

/** The shortest delay that a timer accepts; shorter delays are skipped. */
const LEAST_DELAY_MICROS = 500

export class ReplySender {
  readonly #delayed = new Map<ServerResponse, { act: () => void; timer: NodeJS.Timeout }>()
  #closing = false

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
    clearTimeout(this.#delayed.get(response)?.timer)
    this.#delayed.delete(response)
  }

  /**
   * Delivers delayed replies immediately, and from now on closes each connection after its reply.
   */
  close(): void {
    this.#closing = true
    for (const { act, timer } of this.#delayed.values()) {
      clearTimeout(timer)
      act()
    }
    this.#delayed.clear()
  }

  #isNow(delayMicros: Micros): boolean {
    return this.#closing || delayMicros < LEAST_DELAY_MICROS
  }

  #delay(micros: Micros, response: ServerResponse, act: () => void): void {
    const timer = setTimeout(() => {
      this.#delayed.delete(response)
      act()
    }, micros / MICROS_PER_MS)
    this.#delayed.set(response, { act, timer })
  }

  #deliver(reply: Reply, response: ServerResponse): void {
    deliver(reply, response, this.#closing)
  }
}
