/** Looks at data that grow: when to look, and at which level, so that all looks hold one level. */
import { studentT } from '../distributions/student.ts'
import { studentP } from '../comparing/two-means.ts'

export interface Look {
  /** Looked at when so many observations are there. */
  at: number
  /** The level of the tests at this look. */
  level: number
}

/** Shares of the planned runs; there are few, because each look costs the last one some level. */
const WHEN = [1 / 2, 3 / 4, 1]
/** Student's t is the normal distribution to 6 digits. */
const NORMAL = 1_000_000

/**
 * At most three looks at up to `most` observations, none of them before `fewest`. The levels add up
 * to `level`, so that a test that holds its level at each look errs at any of them with a
 * probability of at most `level`, however the looks depend on each other (Bonferroni's inequality).
 * How much each may use is the spending function of Lan and DeMets ("Discrete sequential boundaries
 * for clinical trials", 1983) that resembles O'Brien and Fleming's boundaries: little at first, so
 * that the last look keeps most. For most = 8 and level = 0.01: 0.00027 at 4, 0.00267 at 6, 0.00706
 * at 8.
 */
export function looksOf(most: number, fewest: number, level: number): Look[] {
  const times = [...new Set(WHEN.map((part) => Math.max(fewest, Math.ceil(part * most))))]
  let spent = 0
  return times
    .filter((at) => at <= most)
    .map((at) => {
      const until = spentUntil(at / most, level)
      const own = until - spent
      spent = until
      return { at, level: own }
    })
}

function spentUntil(part: number, level: number): number {
  return studentP(studentT(NORMAL, 1 - level) / Math.sqrt(part), NORMAL)
}
