/**
 * Limits the requests in flight and queues the others: k6 itself would open a connection for each.
 */
import { assert } from '../../base/assert.ts'

export interface Passenger {
  /** Called by `enter` immediately, or when its turn comes. */
  pass(): void
}

export class Gate {
  readonly #places: number
  readonly #line = new Set<Passenger>()
  #taken = 0

  constructor(places: number) {
    this.#places = places
  }

  /** Returns false if it has to wait. */
  enter(passenger: Passenger): boolean {
    if (this.#taken >= this.#places) {
      this.#line.add(passenger)
      return false
    }
    this.#taken++
    passenger.pass()
    return true
  }

  /** Removes one that no longer waits. */
  turnAway(passenger: Passenger): void {
    this.#line.delete(passenger)
  }

  /** A request that passed is done: the longest-waiting one passes next. */
  leave(): void {
    assert(this.#taken > 0, 'more requests came back than were sent')
    this.#taken--
    if (this.#line.size === 0) return
    const [next] = this.#line
    this.#line.delete(next!)
    this.enter(next!)
  }
}
