/** The agenda: which execution wants to be woken when. */
import { DueHeap } from '../base/heap.ts'
import type { Micros } from '../base/units.ts'

/** What the agenda keeps with each sleeper; Infinity for no wake. */
export interface Sleeper {
  wakeMicros: Micros
}

/**
 * Entries left over by replaced wakes are weeded out when they are more than this and the greater
 * part.
 */
const STALE_MAX = 1_024

/**
 * One heap of due times. A sleeper has one wake: a new one replaces the former, whose entry stays
 * behind in the heap and is known as stale by its time, which is no longer the sleeper's. The heap
 * never holds more than 1,024 entries beyond twice the sleepers.
 */
export class Agenda<T extends Sleeper> {
  readonly #sleepers: ReadonlySet<T>
  #heap = new DueHeap<T>()

  /** `sleepers`: all who may have a wake. Who leaves the set may still be woken once. */
  constructor(sleepers: ReadonlySet<T>) {
    this.#sleepers = sleepers
  }

  /** The earliest wake, perhaps a stale one's; Infinity for none. */
  get nextDueMicros(): Micros {
    return this.#heap.nextDue
  }

  wake(sleeper: T, atMicros: Micros): void {
    sleeper.wakeMicros = atMicros
    this.#heap.push(atMicros, sleeper)
    if (this.#heap.size > 2 * this.#sleepers.size + STALE_MAX) this.#weed()
  }

  /** Takes the earliest wake off: its sleeper, or undefined when it was stale. */
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
