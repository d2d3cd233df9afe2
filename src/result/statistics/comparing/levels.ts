/**
 * Plans interim analyses of growing data: when to look, and at which level, so that all looks
 * together hold one level.
 */
import { studentT } from '../beta.ts'
import { studentP } from './two-means.ts'

/**
 * Returns the p values of several tests, in their order, adjusted by Holm's procedure ("A simple
 * sequentially rejective multiple test procedure", 1979): rejecting all that are at most `a` makes
 * one false rejection or more with a probability of at most `a`, however the tests depend on each
 * other.
 */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((_, index) => index).sort((a, b) => ps[a]! - ps[b]!)
  const adjusted = ps.map(() => 1)
  let highest = 0
  for (const [rank, index] of order.entries()) {
    highest = Math.max(highest, Math.min(1, (ps.length - rank) * ps[index]!))
    adjusted[index] = highest
  }
  return adjusted
}

interface Look {
  /** The number of observations at which to look. */
  at: number
  /** The level of the tests at this look. */
  level: number
}

/**
 * The looks as shares of the planned runs; they are few, because each one takes some of the level
 * from the last.
 */
const WHEN = [1 / 2, 3 / 4, 1]
/** With this many degrees of freedom, Student's t equals the normal distribution to 6 digits. */
const NORMAL = 1_000_000

/**
 * Returns at most three looks at up to `most` observations, none of them before `fewest`. The
 * levels add up to `level`, so that a test that holds its level at each look errs at any of them
 * with a probability of at most `level`, however the looks depend on each other (Bonferroni's
 * inequality). The share that each may use is given by the spending function of Lan and DeMets
 * ("Discrete sequential boundaries for clinical trials", 1983) that resembles O'Brien and Fleming's
 * boundaries: little at first, so that the last look keeps most. For most = 8 and level = 0.01, the
 * levels are 0.00027 at 4, 0.00267 at 6, 0.00706 at 8.
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
