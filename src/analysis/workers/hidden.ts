/**
 * Starts of executions that nothing tells, and the number of workers behind them: under the order
 * first come, first served, the ends alone fix the starts for each number of workers, and the
 * likelihood of the service times that follow decides between the numbers.
 */
import { meanOf } from '../statistics/moments.ts'
import type { Micros } from '../../base/units.ts'
import { likelihoodsOf } from './likelihood.ts'
import type { Between, Stayed } from './stayed.ts'

/**
 * Differences of log-likelihoods beyond which a number is ruled out: half of the point that
 * chi-squared with one degree exceeds in one of 600.
 */
const UNLIKELY = 5
/** Fewer executions tell nothing of it. */
const FEWEST = 20

export interface HiddenWorkers {
  /** The likeliest number. */
  value: number
  /** Numbers outside are ruled out. */
  low: number
  /** Null where executions had no need to wait: there may be any number from `low` on. */
  high: number | null
}

/**
 * `runs`: each in the order of acceptance. `most`: of executions that were in the crew at once,
 * which is as good as any higher number of workers. Null of too few executions.
 */
export function workersByEnds(
  runs: readonly (readonly Stayed[])[],
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

/** -Infinity of none. */
function meanScore(values: readonly number[]): number {
  return values.length === 0 ? -Infinity : meanOf(values)
}

/** Every number up to 100, and a hundredth apart beyond it; `most` is among them. */
export function workerNumbers(most: number): number[] {
  const all: number[] = []
  for (let next = 1; next < most; next = Math.max(next + 1, Math.floor(next * 1.01))) all.push(next)
  return [...all, most]
}

/**
 * Each starts when it is accepted and, of those accepted before, all but `workers` - 1 have ended;
 * one that has not ended keeps its worker. A start behind its own end shows that the number is too
 * small. `run`: in the order of acceptance.
 */
export function startsByEnds(run: readonly Stayed[], workers: number): Between[] {
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
