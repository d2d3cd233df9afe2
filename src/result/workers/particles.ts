/**
 * The particles of a filter: possible states of a crew, each with the times at which its workers
 * become free.
 */
import { replaceLeast } from '../../base/collections/heap.ts'
import type { Micros } from '../../base/units.ts'
import type { Random } from '../../base/random.ts'

/** Particles are resampled when the effective number of them falls below this share. */
const UNEVEN = 0.7

export class Particles {
  readonly size: number
  /** A heap per particle; the worker that becomes free first is at its top. */
  #free: Float64Array[]
  #spare: Float64Array[]

  constructor(size: number, workers: number) {
    this.size = size
    this.#free = Array.from({ length: size }, () => new Float64Array(workers).fill(-Infinity))
    this.#spare = Array.from({ length: size }, () => new Float64Array(workers))
  }

  freeAt(particle: number): Micros {
    return this.#free[particle]![0]!
  }

  /** The next execution ends at `end` in all particles. */
  takeAll(end: Micros): void {
    for (const heap of this.#free) replaceLeast(heap, end)
  }

  /**
   * The next execution ends at a different time in each particle. Likely particles are kept, and
   * unlikely ones replaced by copies of them.
   */
  take(ends: Float64Array, weights: Float64Array, random: Random): void {
    for (const [p, heap] of this.#free.entries()) replaceLeast(heap, ends[p]!)
    let [sum, squares] = [0, 0]
    for (const weight of weights) {
      sum += weight
      squares += weight * weight
    }
    if (this.size > 1 && (sum * sum) / squares < UNEVEN * this.size)
      this.#deal(weights, sum, random)
  }

  /** Resamples systematically, with one draw for all particles. */
  #deal(weights: Float64Array, sum: number, random: Random): void {
    const first = random.next()
    let [from, below] = [0, weights[0]!]
    for (let p = 0; p < this.size; p++) {
      const wanted = ((p + first) / this.size) * sum
      while (below < wanted && from < this.size - 1) below += weights[++from]!
      this.#spare[p]!.set(this.#free[from]!)
    }
    ;[this.#free, this.#spare] = [this.#spare, this.#free]
  }
}
