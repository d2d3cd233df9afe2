/** Who is to be woken next, of many of whom each has one wake. */
import type { Micros } from '../units.ts'
import { DueHeap } from './heap.ts'

/** A sleeper of the agenda; `wakeMicros` is Infinity for no wake. */
export interface Sleeper {
  wakeMicros: Micros
}

/**
 * Entries left over by replaced wakes are removed when there are more than this and they are the
 * majority.
 */
const STALE_MAX = 1_024

/**
 * One heap of due times. A sleeper has one wake: a new one replaces the previous, whose entry stays
 * in the heap and is recognised as stale because its time is no longer the sleeper's. The heap
 * never holds more than 1,024 entries beyond twice the sleepers.
 */
export class Agenda<T extends Sleeper> {
  readonly #sleepers: ReadonlySet<T>
  #heap = new DueHeap<T>()

  /**
   * `sleepers`: all that may have a wake. One that was removed may be woken once more.
   */
  constructor(sleepers: ReadonlySet<T>) {
    this.#sleepers = sleepers
  }

  /** The earliest wake, which may be stale; Infinity for none. */
  get nextDueMicros(): Micros {
    return this.#heap.nextDue
  }

  wake(sleeper: T, atMicros: Micros): void {
    sleeper.wakeMicros = atMicros
    this.#heap.push(atMicros, sleeper)
    if (this.#heap.size > 2 * this.#sleepers.size + STALE_MAX) this.#weed()
  }

  /** Removes the earliest wake and returns its sleeper, or undefined if it was stale. */
  pop(): T | undefined {
    const due = this.#heap.nextDue
    const sleeper = this.#heap.pop()
    if (sleeper === undefined || sleeper.wakeMicros !== due) return undefined
    sleeper.wakeMicros = Infinity
    return sleeper
  }

  #weed(): void {
    this.#heap = new DueHeap<T>()
    for (const sleeper of this.#sleepers) {
      if (sleeper.wakeMicros !== Infinity) this.#heap.push(sleeper.wakeMicros, sleeper)
    }
  }
}
