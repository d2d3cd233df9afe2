/**
 * Virtual time: one sorted queue of what is going to happen, and a clock that jumps to the next of
 * it.
 */
import { assert } from '../../base/assert.ts'
import { DueHeap } from '../../base/heap.ts'
import type { Micros } from '../../base/units.ts'

export interface Happening {
  happen(): void
}

/**
 * Times are integer microseconds since the timeline's beginning. What is due at one time happens in
 * the order in which it was arranged.
 */
export class Timeline {
  readonly #queue = new DueHeap<Happening>()
  #now: Micros = 0
  #wakeDue: Micros = Infinity
  #wake: (() => void) | null = null

  get now(): Micros {
    return this.#now
  }

  /** When the next thing will happen; Infinity for never. */
  get nextDue(): Micros {
    return Math.min(this.#queue.nextDue, this.#wakeDue)
  }

  /** Never before the present, and never inside the caller. */
  at(due: Micros, happening: Happening): void {
    if (due < this.#now || due === Infinity) assert(false, `due at ${due}, now ${this.#now}`)
    this.#queue.push(due, happening)
  }

  /**
   * The one outstanding wake, apart from the queue: it is replaced after every answer. Infinity
   * clears it.
   */
  wakeAt(due: Micros, wake: () => void): void {
    this.#wakeDue = due
    this.#wake = due === Infinity ? null : wake
  }

  /** Lets the next thing happen; false when there is none. Of one time, the wake comes last. */
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
