/**
 * Infers the number of workers, and the starts of executions that nothing reports. With the order
 * first come, first served, the ends alone determine the starts for each number of workers, and the
 * likelihood of the resulting service times decides between the numbers.
 */
import { meanOf } from '../statistics/moments.ts'
import type { Micros } from '../../base/units.ts'
import { likelihoodsOf } from './likelihood.ts'
import type { Between, ObservedStay } from './observed-stay.ts'

/**
 * A number whose log-likelihood is lower than the best by more than this is ruled out.
 * Chi-squared with one degree of freedom exceeds twice this difference in one of 600 cases.
 */
const UNLIKELY = 5
/** The fewest executions from which the number is inferred. */
const FEWEST = 20

interface HiddenWorkers {
  /** The most likely number. */
  value: number
  /** The least number that is not ruled out. */
  low: number
  /**
   * The largest number that is not ruled out; null if executions did not have to wait, so that any
   * number from `low` on is possible.
   */
  high: number | null
}

/**
 * Infers the number of workers from `runs`, each in the order of acceptance. `most` is the largest
 * number of executions that were in the crew at once; any higher number of workers is as good. Null
 * if there are too few executions.
 */
export function workersByEnds(
  runs: readonly (readonly ObservedStay[])[],
  most: number,
): HiddenWorkers | null {
  const count = runs.reduce((sum, run) => sum + run.length, 0)
  if (count < FEWEST) return null
  const scored = workerNumbers(most).map((workers) => ({
    workers,
    score: meanScore(likelihoodsOf(runs, workers)),
  }))
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a))
  const good = scored.filter(({ score }) => best.score - score <= UNLIKELY)
  const [low, high] = [good[0]!.workers, good.at(-1)!.workers]
  return high < most ? { value: best.workers, low, high } : { value: low, low, high: null }
}

/** The mean of the values; -Infinity if there are none. */
function meanScore(values: readonly number[]): number {
  return values.length === 0 ? -Infinity : meanOf(values)
}

/** The numbers that are tried: every one up to 100, then about one per cent apart, and `most`. */
export function workerNumbers(most: number): number[] {
  const all: number[] = []
  for (let next = 1; next < most; next = Math.max(next + 1, Math.floor(next * 1.01))) all.push(next)
  return [...all, most]
}

/**
 * Returns the bounds of each start. An execution starts when it is accepted and all but `workers` -
 * 1 of those accepted before have ended; one that has not ended keeps its worker. A start after its
 * own end shows that the number is too small. `run` must be in the order of acceptance.
 */
export function startsByEnds(run: readonly ObservedStay[], workers: number): Between[] {
  const lows: Micros[] = []
  const highs: Micros[] = []
  return run.map(({ accepted, ended }, i) => {
    const low = Math.max(accepted, lows[i - workers] ?? -Infinity)
    const high = Math.max(low, highs[i - workers] ?? -Infinity)
    insertRising(lows, ended === null || ended.high === Infinity ? Infinity : ended.low)
    insertRising(highs, ended?.high ?? Infinity)
    return { low, high }
  })
}

export function insertRising(rising: Micros[], value: Micros): void {
  let at = rising.length
  while (at > 0 && rising[at - 1]! > value) at--
  rising.splice(at, 0, value)
}
