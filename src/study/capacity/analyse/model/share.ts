/**
 * Counts the share of bad executions of one criterion in a simulation, and estimates its error.
 * Waits of neighbours are alike, so batches of them are compared (batch means; Law, "Simulation
 * Modeling and Analysis", section 9.5.3).
 */
import { sumBy, sumOf } from '../../../../result/statistics/moments.ts'
import type { Criterion } from './criteria.ts'
import { fateCode } from './criteria.ts'

const BATCHES = 32
/**
 * The smallest number of batches. The 32 batches are joined in pairs twice, because longer batches
 * show correlation over longer times.
 */
export const FEWEST_BATCHES = 8

/**
 * The bit of a mark that says that the execution took as long as the bound or longer; the other
 * bits are its fate.
 */
export const LATE = 4
const MARKS = 2 * LATE

export class SimulatedShare {
  readonly #all = new Int32Array(BATCHES)
  readonly #hits = new Int32Array(BATCHES)

  /**
   * Counts over batches of consecutive executions. `marks` has the code of each one's fate, with
   * `LATE`, which only a criterion with a bound in time uses.
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

  /** The standard error of the share: the largest of those by 32, 16 and 8 batches. */
  get error(): number {
    let worst = 0
    for (let joined = 1; BATCHES / joined >= FEWEST_BATCHES; joined *= 2) {
      const shares = Array.from({ length: BATCHES / joined }, (_, i) => {
        const [from, to] = [i * joined, (i + 1) * joined]
        const all = sumOf(this.#all.subarray(from, to))
        return sumOf(this.#hits.subarray(from, to)) / Math.max(1, all)
      })
      const { share } = this
      const squares = sumBy(shares, (each) => (each - share) ** 2)
      worst = Math.max(worst, Math.sqrt(squares / (shares.length - 1) / shares.length))
    }
    return worst
  }
}

/**
 * Two tables by the mark of an execution: whether the criterion judges it, and whether it counts as
 * bad (1 or 0 each).
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
