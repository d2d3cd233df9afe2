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

/** Marks an execution that took as long as the bound in time, or longer; the rest is its fate. */
export const LATE = 4
const MARKS = 2 * LATE

export class ShareCount {
  readonly #all = new Int32Array(BATCHES)
  readonly #hits = new Int32Array(BATCHES)

  /**
   * Counts over batches of executions that follow each other. `marks`: the code of each one's fate,
   * with `LATE`, which matters where the criterion has a bound in time.
   */
  constructor(criterion: Criterion, marks: Uint8Array) {
    const [counted, bad] = tablesOf(criterion)
    const batch = Math.ceil(marks.length / BATCHES)
    for (let b = 0; b < BATCHES; b++) {
      const end = Math.min(marks.length, (b + 1) * batch)
      let [all, hits] = [0, 0]
      for (let i = b * batch; i < end; i++) {
        const mark = marks[i]!
        all += counted[mark]!
        hits += bad[mark]!
      }
      this.#all[b] = all
      this.#hits[b] = hits
    }
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

/**
 * Two tables by mark of an execution: 1 where the criterion judges it, and 1 where it calls it bad.
 */
function tablesOf({ among, bad, boundMicros }: Criterion): [Uint8Array, Uint8Array] {
  const counted = new Uint8Array(MARKS)
  for (const fate of among) counted.fill(1, fateCode(fate), fateCode(fate) + 1)
  counted.copyWithin(LATE, 0, LATE)
  const isBad = new Uint8Array(MARKS)
  if (boundMicros === null) {
    for (const fate of bad) isBad[fateCode(fate)] = isBad[fateCode(fate) + LATE] = 1
  } else isBad.set(counted.subarray(LATE), LATE)
  return [counted, isBad]
}

function sumOf(values: Int32Array): number {
  return values.reduce((sum, value) => sum + value, 0)
}
