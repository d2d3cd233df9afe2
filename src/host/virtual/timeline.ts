/** Virtual time: one sorted queue of future events, and a clock that jumps to the next of them. */
import { assert } from '../../base/assert.ts'
import { DueHeap } from '../../base/collections/heap.ts'
import type { Micros } from '../../base/units.ts'

export interface Happening {
  happen(): void
}

/** One outstanding wake, separate from the queue: it is replaced after every answer. */
interface Wake {
  due: Micros
  wake: (() => void) | null
}

/**
 * Times are integer microseconds since the timeline's beginning. Events due at the same time happen
 * in the order in which they were scheduled.
 */
export class EventQueue {
  readonly #queue = new DueHeap<Happening>()
  #now: Micros = 0
  /** One for each that works in this time; always at least one. */
  readonly #wakes: Wake[] = [{ due: Infinity, wake: null }]
  #sleepers = 0

  get now(): Micros {
    return this.#now
  }

  /** When the next event is due; Infinity for never. */
  get nextDue(): Micros {
    return Math.min(this.#queue.nextDue, this.#nextWake().due)
  }

  /** Schedules a happening; never before the present, and never within the caller. */
  at(due: Micros, happening: Happening): void {
    if (due < this.#now || due === Infinity) assert(false, `due at ${due}, now ${this.#now}`)
    this.#queue.push(due, happening)
  }

  /** Returns the setter of a wake of its own, which replaces the one before; Infinity clears it. */
  sleeper(): (due: Micros, wake: () => void) => void {
    const own = (this.#wakes[this.#sleepers++] ??= { due: Infinity, wake: null })
    return (due, wake) => {
      own.due = due
      own.wake = due === Infinity ? null : wake
    }
  }

  /**
   * Processes the next event; returns false if there is none. At equal times, wakes come last, in
   * the order of their sleepers.
   */
  step(): boolean {
    const due = this.#queue.nextDue
    const next = this.#nextWake()
    if (next.wake !== null && next.due < due) {
      const { wake } = next
      this.#now = Math.max(this.#now, next.due)
      next.wake = null
      next.due = Infinity
      wake()
      return true
    }
    const happening = this.#queue.pop()
    if (happening === undefined) return false
    this.#now = due
    happening.happen()
    return true
  }

  #nextWake(): Wake {
    let next = this.#wakes[0]!
    for (let i = 1; i < this.#wakes.length; i++) {
      if (this.#wakes[i]!.due < next.due) next = this.#wakes[i]!
    }
    return next
  }
}
