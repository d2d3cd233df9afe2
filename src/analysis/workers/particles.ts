/** Possible states of a crew: when each of its workers is free, once for every particle. */
import { replaceLeast } from '../../base/collections/heap.ts'
import type { Micros } from '../../base/units.ts'
import type { Random } from '../../base/random.ts'

/** Particles are drawn anew when fewer than this share of them carry the weight. */
const UNEVEN = 0.7

export class Particles {
  readonly size: number
  /** A heap each: the worker that is free first comes first. */
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

  /** The next execution ends then, in all of them. */
  takeAll(end: Micros): void {
    for (const heap of this.#free) replaceLeast(heap, end)
  }

  /** It ends in each at a moment of its own; what is likely is kept, and what is not, replaced. */
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

  /** Systematic resampling: one draw for all of them. */
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
