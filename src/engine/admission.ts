/** Admission: how many executions may be in progress at once, and which arrivals wait meanwhile. */
import { assert } from '../base/assert.ts'
import type { DueArrival } from '../execution/machine.ts'
import type { Plan } from '../scenario/plan.ts'
import type { InstanceShare } from './interface.ts'
import { shareOf } from './interface.ts'

/**
 * From the time its kickoff is due to the end of its execution, an arrival holds one of
 * `maxInFlight` places; the others wait, first come, first served, or are dropped. The wait is part
 * of the plan: it counts in response time, because the intended time stays the schedule's, but not
 * as lateness of the generator, which counts from the admission. With several instances, each has
 * its share of the places, at least one.
 */
export class AdmissionGate {
  readonly #places: number
  readonly #mayWait: boolean
  readonly #waiting = new Fifo<DueArrival>()
  #taken = 0

  constructor({ admission, arrivals }: Pick<Plan, 'admission' | 'arrivals'>, share: InstanceShare) {
    this.#places = shareOf(admission.maxInFlight ?? Infinity, share)
    // A closed client waits by definition; if it were dropped, it would return immediately, in an
    // endless loop.
    this.#mayWait = admission.whenFull === 'queue' || arrivals.kind === 'closed'
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** `admitted` takes a place, `waits` joins the queue, `full` is dropped. */
  offer(arrival: DueArrival): 'admitted' | 'waits' | 'full' {
    if (this.#taken < this.#places && this.#waiting.size === 0) {
      this.#taken++
      return 'admitted'
    }
    if (!this.#mayWait) return 'full'
    this.#waiting.push(arrival)
    return 'waits'
  }

  /** Takes a place for an execution admitted by a former process of this run. */
  readmit(): void {
    this.#taken++
  }

  /** Releases a place. */
  leave(): void {
    assert(this.#taken > 0, 'more executions ended than were admitted')
    this.#taken--
  }

  /** The longest-waiting arrival takes a place, if there is one. */
  next(): DueArrival | undefined {
    if (this.#taken >= this.#places) return undefined
    const arrival = this.#waiting.shift()
    if (arrival !== undefined) this.#taken++
    return arrival
  }

  /** Removes the longest-waiting arrival from the queue, without a place. */
  turnAway(): DueArrival | undefined {
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
