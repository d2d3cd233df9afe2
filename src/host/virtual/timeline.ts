/** Virtual time: one sorted queue of future events, and a clock that jumps to the next of them. */
import { assert } from '../../base/assert.ts'
import { DueHeap } from '../../base/collections/heap.ts'
import type { Micros } from '../../base/units.ts'

export interface Happening {
  happen(): void
}

/**
 * Times are integer microseconds since the timeline's beginning. Events due at the same time happen
 * in the order in which they were scheduled.
 */
export class EventQueue {
  readonly #queue = new DueHeap<Happening>()
  #now: Micros = 0
  #wakeDue: Micros = Infinity
  #wake: (() => void) | null = null

  get now(): Micros {
    return this.#now
  }

  /** When the next event is due; Infinity for never. */
  get nextDue(): Micros {
    return Math.min(this.#queue.nextDue, this.#wakeDue)
  }

  /** Schedules a happening; never before the present, and never within the caller. */
  at(due: Micros, happening: Happening): void {
    if (due < this.#now || due === Infinity) assert(false, `due at ${due}, now ${this.#now}`)
    this.#queue.push(due, happening)
  }

  /**
   * The one outstanding wake, separate from the queue: it is replaced after every answer. Infinity
   * clears it.
   */
  wakeAt(due: Micros, wake: () => void): void {
    this.#wakeDue = due
    this.#wake = due === Infinity ? null : wake
  }

  /**
   * Processes the next event; returns false if there is none. At equal times, the wake comes last.
   */
  step(): boolean {
    const due = this.#queue.nextDue
    if (this.#wake !== null && this.#wakeDue < due) {
      const wake = this.#wake
      this.#now = Math.max(this.#now, this.#wakeDue)
      this.#wake = null
      this.#wakeDue = Infinity
      wake()
      return true
    }
    const happening = this.#queue.pop()
    if (happening === undefined) return false
    this.#now = due
    happening.happen()
    return true
  }
}
