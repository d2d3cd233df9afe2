/** What the executions of a run needed, by its ledger, as a fake crew can play it. */
import type { PlayedWork } from '../../../../../../fake-crew/play.ts'
import type { Micros } from '../../../../../base/units.ts'
import { MICROS_PER_MS } from '../../../../../base/units.ts'
import { middleOf } from '../../fit/sample.ts'
import type { SeenRun } from '../../seen.ts'
import type { LearnedColdStart } from '../cold-start.ts'
import { readyAt } from '../cold-start.ts'
import type { Taken } from '../taken.ts'
import { middle, takenOf } from '../taken.ts'

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
        startedMicros: middle(started) - zero,
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
  return Math.max(0, middle(ended) - middle(started) - named - away)
}

function msOf(micros: Micros): number {
  return Math.round(micros / MICROS_PER_MS)
}
