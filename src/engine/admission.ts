/** Admission: how many executions may be under way at once, and who waits meanwhile. */
import { assert } from '../base/assert.ts'
import type { Arrival } from '../execution/machine.ts'
import type { Plan } from '../scenario/plan.ts'
import type { Share } from './share.ts'
import { shareOf } from './share.ts'

/**
 * From its kickoff being due to the end of its execution, an arrival holds one of `maxInFlight`
 * places; the others wait, first come, first served, or are turned away. The wait is the user's own
 * wish: it counts in response time, since the intended time stays the schedule's, but not as
 * lateness of the generator, which counts from the admission. Of several instances each has its
 * share of the places, and one at least.
 */
export class Admission {
  readonly #places: number
  readonly #mayWait: boolean
  readonly #waiting = new Fifo<Arrival>()
  #taken = 0

  constructor({ admission, arrivals }: Pick<Plan, 'admission' | 'arrivals'>, share: Share) {
    this.#places = shareOf(admission.maxInFlight ?? Infinity, share)
    // A closed client waits by nature; turned away, it would come again at once, for ever.
    this.#mayWait = admission.whenFull === 'queue' || arrivals.kind === 'closed'
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** `admitted` takes a place, `waits` joins the queue, `full` is turned away. */
  offer(arrival: Arrival): 'admitted' | 'waits' | 'full' {
    if (this.#taken < this.#places && this.#waiting.size === 0) {
      this.#taken++
      return 'admitted'
    }
    if (!this.#mayWait) return 'full'
    this.#waiting.push(arrival)
    return 'waits'
  }

  /** Takes a place for one that was let in by a former process of this run. */
  readmit(): void {
    this.#taken++
  }

  /** Gives a place back. */
  leave(): void {
    assert(this.#taken > 0, 'more executions ended than were admitted')
    this.#taken--
  }

  /** Who waited longest takes a place, if there is one. */
  next(): Arrival | undefined {
    if (this.#taken >= this.#places) return undefined
    const arrival = this.#waiting.shift()
    if (arrival !== undefined) this.#taken++
    return arrival
  }

  /** Takes who waited longest out of the queue, without a place. */
  turnAway(): Arrival | undefined {
    return this.#waiting.shift()
  }
}

/** A queue whose `shift` does not move its whole content: a backlog may hold a million arrivals. */
class Fifo<T> {
  #items: T[] = []
  #head = 0

  get size(): number {
    return this.#items.length - this.#head
  }

  push(item: T): void {
    this.#items.push(item)
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined
    const item = this.#items[this.#head++]
    if (this.#head > 1_000 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return item
  }
}
