/**
 * Learns how many executions run at once, from runs whose load was not chosen for that. If starts
 * are known (ledger), the most at once is the number as soon as one execution had to wait. If
 * service times are reported, the order first come, first served predicts every end for each number
 * of workers. If neither is known, the ends alone determine the starts for each number, and the
 * likelihood of the resulting service times decides.
 */
import { middleOf } from '../../../../result/inferred-workers/observed-stay.ts'
import { TIMES_BY } from '../../../frame/executions/reader.ts'
import { distanceTo } from '../../../../result/statistics/rising.ts'
import { sumBy } from '../../../../result/statistics/moments.ts'
import { unreachable } from '../../../../base/assert.ts'
import { Occupancy } from '../../../../result/statistics/occupancy.ts'
import type { Micros } from '../../../../base/units.ts'
import { MICROS_PER_MINUTE } from '../../../../base/units.ts'
import {
  insertRising,
  mostInCrew,
  startsByEnds,
  workerNumbers,
  workersByEnds,
} from '../../../../result/inferred-workers/by-ends.ts'
import { fitOf } from '../fit/fit.ts'
import { distributionMean } from '../fit/shares.ts'
import type { SeenRun, Taken } from '../seen.ts'
import type { LearnedColdStart } from './cold-start.ts'
import { readyAt } from './cold-start.ts'
import { speedOf, takenOf, workedOf } from '../seen.ts'
import type { Between } from '../../../../result/inferred-workers/observed-stay.ts'

export interface LearnedWorkers {
  /** The lower bound; it is the exact number if `high` is the same. */
  low: number
  /** Null if the load never filled the workers. */
  high: number | null
  value: number
  /** The number of executions that waited for a worker. */
  waited: number
  source: SeenRun['truth']
}

export function learnWorkers(
  runs: readonly SeenRun[],
  cold: LearnedColdStart | null,
): LearnedWorkers {
  const truth = runs.reduce<SeenRun['truth']>(
    (worst, run) => (TIMES_BY.indexOf(run.truth) > TIMES_BY.indexOf(worst) ? run.truth : worst),
    'ledger',
  )
  const taken = runs.map(takenOf)
  switch (truth) {
    case 'ledger':
      return bySpans(taken, speedOf(runs))
    case 'reported':
      return byPredictedEnds(taken, cold)
    case 'polls':
      return byLikelihood(taken)
    default:
      return unreachable(truth)
  }
}

/** In wall time: a shorter wait is the time of a request, or due to rounding. */
const SHORTEST_WAIT: Micros = 2_000

function bySpans(runs: readonly (readonly Taken[])[], speed: number): LearnedWorkers {
  const shortest = SHORTEST_WAIT * speed
  let [most, waited] = [1, 0]
  for (const run of runs) {
    const spans = run.flatMap(workedOf)
    most = Math.max(most, new Occupancy(spans).most)
    const ends = Float64Array.from(spans, ([, end]) => end).sort()
    waited += run.filter(({ accepted, started }) => {
      if (started === null) return false
      const start = middleOf(started)
      return start - accepted > shortest && distanceTo(ends, start) <= shortest
    }).length
  }
  return { low: most, high: waited > 0 ? most : null, value: most, waited, source: 'ledger' }
}

/**
 * A predicted end that misses its polls by less than this counts as right, because an answer may be
 * late.
 */
const TOLERANCE: Micros = 100_000
/** The share of the executions that a number may mispredict beyond those of the best number. */
const ALLOWED = 0.005

function byPredictedEnds(
  runs: readonly (readonly Taken[])[],
  cold: LearnedColdStart | null,
): LearnedWorkers {
  const most = mostInCrew(runs)
  const all = sumBy(runs, (run) => run.length)
  const missed = workerNumbers(most).map((workers) => ({
    workers,
    missed: sumBy(runs, (run) => missedEnds(run, workers, cold)),
  }))
  const least = Math.min(...missed.map((each) => each.missed))
  const good = missed.filter((each) => each.missed <= least + ALLOWED * all)
  const low = good[0]!.workers
  const high = good.at(-1)!.workers
  const best = good.reduce((a, b) => (b.missed < a.missed ? b : a)).workers
  const isFull = high < most
  const value = isFull ? best : low
  const waited = isFull ? sumBy(runs, (run) => waitsIn(startsBy(run, value, cold), run)) : 0
  return { low, high: isFull ? high : null, value, waited, source: 'reported' }
}

function waitsIn(starts: readonly Micros[], run: readonly Taken[]): number {
  return run.filter(({ accepted }, i) => starts[i]! - accepted > TOLERANCE).length
}

function missedEnds(run: readonly Taken[], workers: number, cold: LearnedColdStart | null): number {
  const starts = startsBy(run, workers, cold)
  return run.filter(({ ended, ranMicros }, i) => {
    if (ended === null || ranMicros === null) return false
    const end = starts[i]! + middleOf(ranMicros)
    return end > ended.high + TOLERANCE || end < ended.low - TOLERANCE
  }).length
}

/** Returns the starts in the order of acceptance, computed from known service times. */
function startsBy(run: readonly Taken[], workers: number, cold: LearnedColdStart | null): Micros[] {
  const free: Micros[] = []
  return readyAt(run, cold).map((ready, i) => {
    const { ranMicros, ended } = run[i]!
    const start = free.length < workers ? ready : Math.max(ready, free.shift()!)
    // An execution whose end was not observed occupied its worker at least as long as it was
    // watched.
    const end =
      ranMicros === null ? Math.max(start, ended?.low ?? start) : start + middleOf(ranMicros)
    insertRising(free, isHeld(run[i]!) ? Infinity : end)
    return start
  })
}

function isHeld({ isStuck, ended }: Taken): boolean {
  return isStuck || ended?.high === Infinity
}

function byLikelihood(runs: readonly (readonly Taken[])[]): LearnedWorkers {
  const most = mostInCrew(runs)
  const found = workersByEnds(runs, most)
  if (found === null) return { low: 1, high: null, value: most, waited: 0, source: 'polls' }
  const waited =
    found.high === null
      ? 0
      : sumBy(runs, (run) => waitsIn(startsByEnds(run, found.value).map(middleOf), run))
  return { ...found, waited, source: 'polls' }
}

/**
 * Adds the starts to a run in which nothing reports them, for the number that `learnWorkers` found.
 */
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

function less(whole: Between, part: Between): Between {
  const low = Math.max(0, whole.low - part.high)
  return { low, high: Math.max(low + 1, whole.high - part.low) }
}

/**
 * The rate of kickoffs per minute that would be 1.5 times what `workers` workers finish; null if
 * service times are unknown.
 */
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
  return (1.5 * workers * MICROS_PER_MINUTE) / distributionMean(fit.distribution)
}
