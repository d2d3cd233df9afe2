/**
 * Limits the requests in flight and queues the others: k6 itself would open a connection for each.
 */
import { assert } from '../../base/assert.ts'

export interface WaitingRequest {
  /** Called by `acquire` immediately, or when its turn comes. */
  pass(): void
}

export class RequestSlots {
  readonly #places: number
  readonly #queue = new Set<WaitingRequest>()
  #taken = 0

  constructor(places: number) {
    this.#places = places
  }

  /** Returns false if it has to wait. */
  acquire(request: WaitingRequest): boolean {
    if (this.#taken >= this.#places) {
      this.#queue.add(request)
      return false
    }
    this.#taken++
    request.pass()
    return true
  }

  /** Removes one that no longer waits. */
  withdraw(request: WaitingRequest): void {
    this.#queue.delete(request)
  }

  /** A request that passed is done: the longest-waiting one passes next. */
  release(): void {
    assert(this.#taken > 0, 'more requests came back than were sent')
    this.#taken--
    if (this.#queue.size === 0) return
    const [next] = this.#queue
    this.#queue.delete(next!)
    this.acquire(next!)
  }
}
