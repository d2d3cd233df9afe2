/**
 * The share of bad executions of one criterion in a simulation, and how far it may be off: waits of
 * neighbours are alike, so that batches of them are compared (batch means; Law, "Simulation
 * Modeling and Analysis", section 9.5.3).
 */
import type { Criterion } from './criteria.ts'
import { fateCode } from './criteria.ts'

const BATCHES = 32
/** The batches are joined by two, twice: what is alike over long times shows in the longer ones. */
export const FEWEST_BATCHES = 8

export class ShareCount {
  readonly #among: number
  readonly #bad: number
  readonly #isTimed: boolean
  readonly #all = new Int32Array(BATCHES)
  readonly #hits = new Int32Array(BATCHES)
  readonly #batch: number

  /** Counts over batches of `size` executions that follow each other. */
  constructor({ among, bad, boundMicros }: Criterion, size: number) {
    this.#among = maskOf(among)
    this.#bad = maskOf(bad)
    this.#isTimed = boundMicros !== null
    this.#batch = Math.ceil(size / BATCHES)
  }

  /** `place` counts from 0; `isLate` matters where the criterion has a bound in time. */
  add(place: number, fate: number, isLate: boolean): void {
    const mark = 1 << fate
    const isCounted = (this.#among & mark) !== 0
    const isBad = this.#isTimed ? isCounted && isLate : (this.#bad & mark) !== 0
    const batch = (place / this.#batch) | 0
    if (isCounted) this.#all[batch]!++
    if (isBad) this.#hits[batch]!++
  }

  get share(): number {
    const [all, hits] = [sumOf(this.#all), sumOf(this.#hits)]
    return all === 0 ? 0 : hits / all
  }

  /** The standard error of the share: the worst of 32, 16 and 8 batches. */
  get error(): number {
    let worst = 0
    for (let joined = 1; BATCHES / joined >= FEWEST_BATCHES; joined *= 2) {
      const shares = Array.from({ length: BATCHES / joined }, (_, i) => {
        const [from, to] = [i * joined, (i + 1) * joined]
        const all = sumOf(this.#all.subarray(from, to))
        return sumOf(this.#hits.subarray(from, to)) / Math.max(1, all)
      })
      const { share } = this
      const squares = shares.reduce((sum, each) => sum + (each - share) ** 2, 0)
      worst = Math.max(worst, Math.sqrt(squares / (shares.length - 1) / shares.length))
    }
    return worst
  }
}

function maskOf(fates: Criterion['among']): number {
  return fates.reduce((mask, fate) => mask | (1 << fateCode(fate)), 0)
}

function sumOf(values: Int32Array): number {
  return values.reduce((sum, value) => sum + value, 0)
}
