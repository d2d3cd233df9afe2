/**
 * How much a study has searched, and how hard it may go on: counted in groups that were replayed,
 * and not in time, so that the same evidence and seed lead to the same answer on every machine.
 */

/** Up to here all that helps is tried; studies of most limiters end before. */
const FULL = 2_000_000
/** From here on only the least. */
const MOST = 4_000_000
const LEAST_SHARE = 0.1

export class SearchWork {
  #groups = 0

  spend(groups: number): void {
    this.#groups += groups
  }

  /** Share of the usual effort, from 1 down to a tenth. */
  get share(): number {
    const left = (MOST - this.#groups) / (MOST - FULL)
    return Math.min(1, Math.max(LEAST_SHARE, left))
  }
}
