/**
 * Servers that take jobs first come, first served: when does each start? Used for workers and for
 * the HTTP pool.
 */
import { addTo, replaceLeast } from '../../../src/base/collections/heap.ts'
import type { Micros } from '../../../src/base/units.ts'

/**
 * The free time of each slot, in a heap. A job that is ready at t starts at max(t, earliest free
 * time), and that slot is free again after its service: Kiefer and Wolfowitz, "On the theory of
 * queues with many servers" (1955). Jobs must be given in the order in which they are ready; their
 * starts then never decrease.
 */
export class Slots {
  readonly #freeAt: number[] = []
  readonly #count: number

  /** `count` of at least 1; null for no limit. */
  constructor(count: number | null) {
    this.#count = count ?? Infinity
  }

  /** When the next slot is free: -Infinity if one has never been used. */
  get earliestFree(): Micros {
    return this.#freeAt.length < this.#count ? -Infinity : this.#freeAt[0]!
  }

  /** Assigns a job and returns its start; Infinity if every slot is held forever. */
  take(readyMicros: Micros, serviceMicros: Micros): Micros {
    const start = Math.max(readyMicros, this.earliestFree)
    if (this.#count === Infinity) return start
    const free = start + serviceMicros
    if (this.#freeAt.length < this.#count) addTo(this.#freeAt, free)
    else replaceLeast(this.#freeAt, free)
    return start
  }
}
