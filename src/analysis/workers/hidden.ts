/**
 * Starts of executions that nothing tells, and the number of workers behind them: under the order
 * first come, first served, the ends alone fix the starts for each number of workers, and the
 * likelihood of the service times that follow decides between the numbers.
 */
import type { Micros } from '../../base/units.ts'
import type { Outcome } from '../../execution/record/record.ts'
import { smoothLikelihood } from '../statistics/smooth.ts'

/** A moment between two others; `high` is Infinity where it was not seen. */
export interface Between {
  low: Micros
  high: Micros
}

/** One execution that a crew took. */
export interface Stayed {
  accepted: Micros
  /** Between two polls; null where it was not watched. */
  ended: Between | null
  outcome: Outcome
}

/**
 * Twice the difference of log-likelihoods beyond which a number is ruled out: three times the 1 %
 * point of chi-squared with one degree, for ends between polls are not independent.
 */
const UNLIKELY = 20
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
  const seen = runs.map((bounds) => ({ bounds, placed: placed(bounds) }))
  const scored = workerNumbers(most).map((workers) => ({ workers, score: scoreOf(seen, workers) }))
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a))
  const good = scored.filter(({ score }) => 2 * (best.score - score) <= UNLIKELY)
  const [low, high] = [good[0]!.workers, good.at(-1)!.workers]
  return high < most ? { value: best.workers, low, high } : { value: low, low, high: null }
}

/** Every number up to 100, and a hundredth apart beyond it; `most` is among them. */
export function workerNumbers(most: number): number[] {
  const all: number[] = []
  for (let next = 1; next < most; next = Math.max(next + 1, Math.floor(next * 1.01))) all.push(next)
  return [...all, most]
}

/** An end before its start is all but impossible. */
const IMPOSSIBLE = -25
/** Multiples of it, modulo 1, are spread evenly however many there are (Weyl's sequence). */
const GOLDEN = (Math.sqrt(5) - 1) / 2

/**
 * Each end at a moment of its own between its polls: at the middle of them, stays would be
 * multiples of the interval, whose rhythm looks like one of the service times.
 */
function placed(run: readonly Stayed[]): Stayed[] {
  return run.map((each, i) => {
    const { ended } = each
    if (ended === null || ended.high === Infinity) return each
    const at = ended.low + ((i * GOLDEN) % 1) * (ended.high - ended.low)
    return { ...each, ended: { low: at, high: at } }
  })
}

interface Run {
  bounds: readonly Stayed[]
  placed: readonly Stayed[]
}

/** The log-likelihood of the service times, were there so many workers. */
function scoreOf(runs: readonly Run[], workers: number): number {
  const services: number[] = []
  let impossible = 0
  for (const run of runs) {
    const starts = startsByEnds(run.placed, workers)
    startsByEnds(run.bounds, workers).forEach((start, i) => {
      const { ended, outcome } = run.bounds[i]!
      if (ended === null || ended.high === Infinity || outcome === 'failed') return
      const [least, most] = [ended.low - start.high, ended.high - start.low]
      const service = run.placed[i]!.ended!.low - starts[i]!.low
      if (most <= 0) impossible++
      else services.push(service > 0 ? service : Math.max(1, (Math.max(0, least) + most) / 2))
    })
  }
  return smoothLikelihood(services) + impossible * IMPOSSIBLE
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
