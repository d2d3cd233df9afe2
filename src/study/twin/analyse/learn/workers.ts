/**
 * How many executions run at once, from runs whose load nobody chose for that. Where starts are
 * known (ledger), the most at once is the number as soon as one had to wait. Where service times
 * are reported, the order first come, first served predicts every end for each number of workers.
 * Where nothing is told, ends alone fix the starts for each number, and the likelihood of the
 * service times that follow decides.
 */
import { Occupancy } from '../../../../analysis/statistics/occupancy.ts'
import type { Micros } from '../../../../base/units.ts'
import { MICROS_PER_MINUTE } from '../../../../base/units.ts'
import { fitOf } from '../fit/fit.ts'
import { meanOf } from '../fit/shares.ts'
import { smoothLikelihood } from '../fit/smooth.ts'
import type { Observed } from '../fit/sample.ts'
import type { SeenRun } from '../seen/seen.ts'
import type { ColdStart } from './cold-start.ts'
import { readyAt } from './cold-start.ts'
import type { Taken } from './ran.ts'
import { middle, spanOf, takenOf } from './ran.ts'

export interface Workers {
  /** At least this many; exactly, where `high` is the same. */
  low: number
  /** Null where the load never filled them. */
  high: number | null
  value: number
  /** Executions that waited for a worker. */
  waited: number
  source: SeenRun['truth']
}

export function learnWorkers(runs: readonly SeenRun[], cold: ColdStart | null): Workers {
  const truth = runs.reduce<SeenRun['truth']>(
    (worst, run) => (ORDER.indexOf(run.truth) > ORDER.indexOf(worst) ? run.truth : worst),
    'ledger',
  )
  const taken = runs.map(takenOf)
  switch (truth) {
    case 'ledger':
      return bySpans(taken)
    case 'reported':
      return byPredictedEnds(taken, cold)
    default:
      return byLikelihood(taken)
  }
}

const ORDER: readonly SeenRun['truth'][] = ['ledger', 'reported', 'polls']

/** A wait that is shorter is that of a request, or of rounding. */
const SHORTEST_WAIT: Micros = 2_000

function bySpans(runs: readonly (readonly Taken[])[]): Workers {
  let [most, waited] = [1, 0]
  for (const run of runs) {
    const spans = run.flatMap((each) => {
      const span = spanOf(each)
      return span === null ? [] : [span]
    })
    most = Math.max(most, new Occupancy(spans).most)
    const ends = Float64Array.from(spans, ([, end]) => end).sort()
    waited += run.filter(({ accepted, started }) => {
      if (started === null) return false
      const start = middle(started)
      return start - accepted > SHORTEST_WAIT && distanceTo(ends, start) <= SHORTEST_WAIT
    }).length
  }
  return { low: most, high: waited > 0 ? most : null, value: most, waited, source: 'ledger' }
}

function distanceTo(rising: Float64Array, value: number): number {
  let [low, high] = [0, rising.length]
  while (low < high) {
    const at = (low + high) >> 1
    if (rising[at]! < value) low = at + 1
    else high = at
  }
  const [before, after] = [rising[low - 1] ?? -Infinity, rising[low] ?? Infinity]
  return Math.min(value - before, after - value)
}

/** The most that were in the crew at once: so many workers are as good as any more. */
function mostInCrew(runs: readonly (readonly Taken[])[]): number {
  return Math.max(
    1,
    ...runs.map((run) => {
      const spans = run.map(({ accepted, ended }): [number, number] => [
        accepted,
        ended === null || ended.high === Infinity ? Infinity : ended.high,
      ])
      return new Occupancy(spans).most
    }),
  )
}

/** Ends that miss their polls by less are late answers. */
const TOLERANCE: Micros = 100_000
/** Of the executions, so many more may be mispredicted than by the best number. */
const ALLOWED = 0.005

function byPredictedEnds(runs: readonly (readonly Taken[])[], cold: ColdStart | null): Workers {
  const most = mostInCrew(runs)
  const all = runs.reduce((sum, run) => sum + run.length, 0)
  const missed = candidates(most).map((workers) => ({
    workers,
    missed: runs.reduce((sum, run) => sum + missedEnds(run, workers, cold), 0),
  }))
  const least = Math.min(...missed.map((each) => each.missed))
  const good = missed.filter((each) => each.missed <= least + ALLOWED * all)
  const low = good[0]!.workers
  const high = good.at(-1)!.workers
  const best = good.reduce((a, b) => (b.missed < a.missed ? b : a)).workers
  const isFull = high < most
  const value = isFull ? best : low
  const waited = isFull
    ? runs.reduce((sum, run) => sum + waitsIn(startsBy(run, value, cold), run), 0)
    : 0
  return { low, high: isFull ? high : null, value, waited, source: 'reported' }
}

/** Every number up to 100, and a hundredth apart beyond it. */
function candidates(most: number): number[] {
  const all: number[] = []
  for (let next = 1; next < most; next = Math.max(next + 1, Math.floor(next * 1.01))) all.push(next)
  return [...all, most]
}

function waitsIn(starts: readonly Micros[], run: readonly Taken[]): number {
  return run.filter(({ accepted }, i) => starts[i]! - accepted > TOLERANCE).length
}

function missedEnds(run: readonly Taken[], workers: number, cold: ColdStart | null): number {
  const starts = startsBy(run, workers, cold)
  return run.filter(({ ended, ranMicros }, i) => {
    if (ended === null || ranMicros === null) return false
    const end = starts[i]! + middle(ranMicros)
    return end > ended.high + TOLERANCE || end < ended.low - TOLERANCE
  }).length
}

/** By the order of acceptance, from service times that are known. */
function startsBy(run: readonly Taken[], workers: number, cold: ColdStart | null): Micros[] {
  const free: Micros[] = []
  return readyAt(run, cold).map((ready, i) => {
    const { ranMicros, ended } = run[i]!
    const start = free.length < workers ? ready : Math.max(ready, free.shift()!)
    // What was not seen to end held its worker as long as it was watched, at least.
    const end =
      ranMicros === null ? Math.max(start, ended?.low ?? start) : start + middle(ranMicros)
    insert(free, isHeld(run[i]!) ? Infinity : end)
    return start
  })
}

function isHeld({ isStuck, ended }: Taken): boolean {
  return isStuck || ended?.high === Infinity
}

function insert(rising: Micros[], value: Micros): void {
  let at = rising.length
  while (at > 0 && rising[at - 1]! > value) at--
  rising.splice(at, 0, value)
}

/**
 * Twice the difference of log-likelihoods beyond which a number is ruled out: three times the 1 %
 * point of chi-squared with one degree, for ends between polls are not independent.
 */
const UNLIKELY = 20
/** Fewer executions tell nothing of it. */
const FEWEST = 20

function byLikelihood(runs: readonly (readonly Taken[])[]): Workers {
  const most = mostInCrew(runs)
  const scored = candidates(most).map((workers) => ({ workers, score: scoreOf(runs, workers) }))
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a))
  const good = scored.filter(({ score }) => 2 * (best.score - score) <= UNLIKELY)
  const low = good[0]!.workers
  const isFull = good.at(-1)!.workers < most
  const value = isFull ? best.workers : low
  const count = runs.reduce((sum, run) => sum + run.length, 0)
  if (count < FEWEST) return { low: 1, high: null, value: most, waited: 0, source: 'polls' }
  return {
    low,
    high: isFull ? good.at(-1)!.workers : null,
    value,
    waited: isFull
      ? runs.reduce((sum, run) => sum + waitsIn(startsByEnds(run, value).map(middle), run), 0)
      : 0,
    source: 'polls',
  }
}

/** An end before its start is all but impossible. */
const IMPOSSIBLE = -25

/** The log-likelihood of the service times, were there so many workers. */
function scoreOf(runs: readonly (readonly Taken[])[], workers: number): number {
  const services: number[] = []
  let impossible = 0
  for (const run of runs) {
    startsByEnds(run, workers).forEach((start, i) => {
      const { ended, outcome } = run[i]!
      if (ended === null || ended.high === Infinity || outcome === 'failed') return
      const [least, most] = [ended.low - start.high, ended.high - start.low]
      if (most <= 0) impossible++
      else services.push(Math.max(1, (Math.max(0, least) + most) / 2))
    })
  }
  return smoothLikelihood(services) + impossible * IMPOSSIBLE
}

/**
 * Each starts when it is accepted and, of those accepted before, all but `workers` - 1 have ended;
 * one that has not ended keeps its worker. A start behind its own end shows that the number is too
 * small.
 */
function startsByEnds(run: readonly Taken[], workers: number): Observed[] {
  const lows: Micros[] = []
  const highs: Micros[] = []
  return run.map(({ accepted, ended }, i) => {
    const low = Math.max(accepted, lows[i - workers] ?? -Infinity)
    const high = Math.max(low, highs[i - workers] ?? -Infinity)
    insert(lows, ended === null || ended.high === Infinity ? Infinity : ended.low)
    insert(highs, ended?.high ?? Infinity)
    return { low, high }
  })
}

/** As `learnWorkers` found them: the starts of each run, where nothing tells them. */
export function withStarts(run: SeenRun, workers: number | null): SeenRun {
  if (run.truth !== 'polls') return run
  const taken = takenOf(run)
  const starts = startsByEnds(taken, workers ?? Infinity)
  const byExecution = new Map(taken.map((each, i) => [each, starts[i]!] as const))
  return {
    ...run,
    executions: run.executions.map((each) => {
      const found = byExecution.get(each as Taken)
      if (found === undefined || each.accepted === null) return each
      const accepted = each.accepted
      const latest = each.ended?.high ?? Infinity
      const started = { low: Math.min(found.low, latest), high: Math.min(found.high, latest) }
      const waited = { low: started.low - accepted, high: started.high - accepted }
      const tasks = each.tasks.map((task) =>
        task.place === 0 ? { place: 0, micros: less(task.micros, waited) } : task,
      )
      return { ...each, started, tasks }
    }),
  }
}

function less(whole: Observed, part: Observed): Observed {
  const low = Math.max(0, whole.low - part.high)
  return { low, high: Math.max(low + 1, whole.high - part.low) }
}

/** Kickoffs a minute that would fill at least so many workers half as much again. */
export function fillingPerMinute(workers: number, runs: readonly SeenRun[]): number | null {
  const services = runs
    .flatMap(takenOf)
    .flatMap(({ started, ended }) =>
      started === null || ended === null
        ? []
        : { low: ended.low - started.high, high: ended.high - started.low },
    )
    .map(({ low, high }) => ({ low: Math.max(0, low), high: Math.max(1, high) }))
  const fit = fitOf(services)
  if (fit === null) return null
  return (1.5 * workers * MICROS_PER_MINUTE) / meanOf(fit.distribution)
}
