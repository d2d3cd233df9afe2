/** How far a fake crew with some capacity is from what the ledgers of runs say. */
import { middleOf } from '../../../../../result/inferred-workers/observed-stay.ts'
import { sumOf } from '../../../../../result/statistics/moments.ts'
import type { SharedCapacity, PlayedWork } from '../../../../../../fake-crew/play.ts'
import { play } from '../../../../../../fake-crew/play.ts'
import type { Micros } from '../../../../../base/units.ts'
import { MICROS_PER_MS } from '../../../../../base/units.ts'
import type { SeenRun, Taken } from '../../seen.ts'
import type { LearnedColdStart } from '../cold-start.ts'
import { readyAt } from '../cold-start.ts'
import { takenOf } from '../../seen.ts'

export type MisfitRuns = readonly (readonly SeenWork[])[]

/**
 * `waits` compares each task with itself; `sorted` the waits as distributions, for crews whose
 * calls try again after pauses at random; `starts` when workers take executions.
 */
export type Compared = 'waits' | 'sorted' | 'starts'

export interface MisfitComparison {
  /** The sum of all differences, as a share of all that is to be explained: 0 for a perfect fit. */
  misfit: number
  /** The sum of what is played over the sum of what was seen. */
  ratio: number
}

export function compare(
  capacity: SharedCapacity,
  runs: MisfitRuns,
  compared: Compared,
): MisfitComparison {
  let [off, all, got] = [0, 0, 0]
  for (const works of runs) {
    const played = play(capacity, works)
    const seen = works.map((work) => seenIn(work, compared))
    const own = works.map((work, i) => playedIn(work, played[i]!, compared))
    const [a, b] = compared === 'sorted' ? [rising(seen), rising(own)] : [seen.flat(), own.flat()]
    for (const [i, micros] of a.entries()) off += Math.abs(micros - (b[i] ?? 0))
    all += sumOf(a)
    got += sumOf(b)
  }
  const total = Math.max(1, all)
  return { misfit: off / total, ratio: got / total }
}

export function misfitOf(capacity: SharedCapacity, runs: MisfitRuns, compared: Compared): number {
  return compare(capacity, runs, compared).misfit
}

/** A play of the true capacity, but for rounding. */
export const EXACT = 0.02

export function leastMisfit<T extends { misfit: number }>(all: readonly T[]): T {
  return all.reduce((a, b) => (b.misfit < a.misfit ? b : a))
}

function seenIn(work: SeenWork, compared: Compared): Micros[] {
  if (compared === 'starts')
    return work.waits.length === 0 ? [] : [work.startedMicros - work.readyMicros]
  return work.waits.flatMap(({ quota, slowed }) => [quota, slowed])
}

function playedIn(
  work: SeenWork,
  { startedMicros, tasks }: ReturnType<typeof play>[number],
  compared: Compared,
): Micros[] {
  if (compared === 'starts')
    return work.waits.length === 0 ? [] : [startedMicros - work.readyMicros]
  // A task without an end in the ledger says nothing of what it waited.
  return work.waits.flatMap((_, place) => {
    const { quotaMs = 0, slowedMs = 0 } = tasks[place] ?? {}
    return [quotaMs * MICROS_PER_MS, slowedMs * MICROS_PER_MS]
  })
}

function rising(each: readonly (readonly number[])[]): number[] {
  return each.flat().toSorted((a, b) => a - b)
}

/** One execution, with what is to be explained of it; times are on the clock of the ledger. */
export interface SeenWork extends PlayedWork {
  startedMicros: Micros
  /** What each of its tasks waited, as far as a ledger says and is to be explained. */
  waits: readonly { quota: Micros; slowed: Micros }[]
}

/** The first executions of a run say what it shares; more of them only take more time. */
const MOST = 150
/** The last of these are delayed by others that are left out. */
const DELAYED = 30

/** In the order in which they were ready. Those that no worker took say nothing. */
export function worksOf(run: SeenRun, cold: LearnedColdStart | null): SeenWork[] {
  const taken = takenOf(run)
  const ready = readyAt(taken, cold)
  const part = ownPart(taken)
  const { zero = 0 } = run
  return taken
    .flatMap((execution, i) => {
      const { started, tasks } = execution
      if (started === null) return []
      return {
        readyMicros: ready[i]! - zero,
        startedMicros: middleOf(started) - zero,
        waits: tasks.map(({ waits = { quota: 0, slowed: 0 } }) => waits),
        demand: demandOf(execution, part),
      }
    })
    .toSorted((a, b) => a.readyMicros - b.readyMicros)
    .slice(0, MOST)
    .map((work, i, all) =>
      all.length === MOST && i >= MOST - DELAYED ? Object.assign(work, { waits: [] }) : work,
    )
}

/** The share of the time of tasks that was their own work. */
function ownPart(taken: readonly Taken[]): number {
  let [own, waited] = [0, 0]
  for (const { micros, waits } of taken.flatMap(({ tasks }) => tasks)) {
    own += middleOf(micros)
    waited += (waits?.quota ?? 0) + (waits?.slowed ?? 0)
  }
  return own / Math.max(1, own + waited)
}

/**
 * A task without an end, such as the one in which an execution failed, lasts to the end of the
 * execution; the ledger does not say what it waited, so that the usual part of it counts as work.
 */
function demandOf(execution: Taken, part: number): PlayedWork['demand'] {
  const { failedIn, tasks, ended, asked = [] } = execution
  const own = tasks.map(({ micros }) => middleOf(micros))
  const unexplained = unexplainedOf(execution)
  const isCompleted = failedIn === null && ended !== null
  const setUp = isCompleted ? unexplained / Math.max(1, tasks.length) : 0
  const works = isCompleted ? own : [...own, part * unexplained]
  const asks = asked
    .filter(({ to }) => to < Infinity)
    .map(({ place, from, to }) => ({ task: place, forMs: msOf(to - from), holdsWorker: false }))
  let end = 0
  return {
    fate: isCompleted ? 'completed' : ended === null ? 'stuck' : 'failed',
    taskEndsMs: works.map((micros) => msOf((end += setUp + micros))),
    setUpMs: msOf(setUp),
    ...(asks.length === 0 ? {} : { asks }),
  }
}

/** The time from start to end that belongs to no task that the ledger names. */
function unexplainedOf({ started, ended, tasks, asked = [] }: Taken): Micros {
  if (started === null || ended === null) return 0
  const named = tasks.reduce(
    (sum, { micros, waits }) => sum + middleOf(micros) + (waits?.quota ?? 0) + (waits?.slowed ?? 0),
    0,
  )
  const away = asked.reduce((sum, { from, resumed }) => sum + resumed - from, 0)
  return Math.max(0, middleOf(ended) - middleOf(started) - named - away)
}

function msOf(micros: Micros): number {
  return Math.round(micros / MICROS_PER_MS)
}
