/** Learns from ledgers what the executions of a crew share beside a number of workers. */
import { sumBy, sumOf } from '../../../../../result/statistics/moments.ts'
import type { SharedCapacity } from '../../../../../../fake-crew/play.ts'
import type { Micros } from '../../../../../base/units.ts'
import type { SeenRun } from '../../seen.ts'
import type { LearnedColdStart } from '../cold-start.ts'
import { speedOf, takenOf } from '../../seen.ts'
import type { LearnedWorkers } from '../workers.ts'
import type { Crowding } from './crowding.ts'
import { learnCrowding, withoutCrowding } from './crowding.ts'
import type { MisfitRuns, SeenWork } from './misfit.ts'
import { EXACT, misfitOf, worksOf } from './misfit.ts'
import type { LearnedQuota } from './quota.ts'
import { capacityWith, comparedBy, learnQuota } from './quota.ts'
import type { LearnedScaling } from './scaling.ts'
import { learnGrowth, learnScaling, scaledBy } from './scaling.ts'
import type { Between } from '../../../../../result/inferred-workers/observed-stay.ts'
import type { SeenTask } from '../../../../frame/executions/times.ts'

export interface Shared {
  /** Each is null if no ledger shows it. */
  quota: LearnedQuota | null
  slowdown: LearnedSlowdown | null
  scaling: LearnedScaling | null
  /** Without a ledger: that executions take longer beside others. */
  crowding: Crowding | null
  /** How many tasks waited for a quota, and were slowed down, of how many. */
  waited: { quota: number; slowed: number; of: number }
}

export interface LearnedSlowdown {
  /** Tasks that run at full speed at once. */
  shared: number
  /** The part of the waits that it does not explain. */
  misfit: number
}

/** Fewer tasks that waited may agree with a quota by chance. */
const FEWEST_WAITED = 10
/** The first runs say what is shared; more of them only take more time. */
const MOST_RUNS = 3

export function learnShared(
  seen: readonly SeenRun[],
  cold: LearnedColdStart | null,
  workers: LearnedWorkers,
): Shared {
  const known = seen.filter(({ truth }) => truth === 'ledger')
  const runs = known.map((run) => worksOf(run, cold))
  const waited = waitedIn(known)
  const used = runs.toSorted((a, b) => waitsOf(b) - waitsOf(a)).slice(0, MOST_RUNS)
  const growth = learnGrowth(known, cold)
  const workersAlone = { workers: workers.high === null ? null : workers.value }
  const base =
    growth === null ? workersAlone : scaledBy(workersAlone, { ...growth, downAfter: Infinity })
  const parts = partsOf(base, used, waited)
  const { quota, slowdown } = parts
  const scaling =
    growth === null ? null : learnScaling(growth, capacityOf(workersAlone, parts), used)
  // Each part was unexplained while the others were not known.
  const all = capacityOf(workersAlone, parts)
  const whole = scaling === null ? all : scaledBy(all, scaling)
  const misfit = quota === null && slowdown === null ? 0 : misfitOf(whole, used, comparedBy(quota))
  return {
    quota: quota && { ...quota, misfit },
    slowdown: slowdown && { ...slowdown, misfit },
    scaling,
    crowding: learnCrowding(seen),
    waited,
  }
}

type SharedFits = Pick<Shared, 'quota' | 'slowdown'>

/** Where both are there, each is looked for again, with what was found of the other. */
function partsOf(base: SharedCapacity, runs: MisfitRuns, waited: Shared['waited']): SharedFits {
  const quotaBeside = (slowdown: LearnedSlowdown | null) =>
    waited.quota < FEWEST_WAITED
      ? null
      : learnQuota(capacityOf(base, { quota: null, slowdown }), runs)
  const slowdownBeside = (quota: LearnedQuota | null) =>
    waited.slowed < FEWEST_WAITED
      ? null
      : learnSlowdown(capacityOf(base, { quota, slowdown: null }), runs)
  const quota = quotaBeside(null)
  const slowdown = slowdownBeside(quota)
  if (slowdown === null || slowdown.misfit <= EXACT || waited.quota < FEWEST_WAITED) {
    return { quota, slowdown }
  }
  const again = quotaBeside(slowdown)
  return { quota: again, slowdown: slowdownBeside(again) }
}

function capacityOf(base: SharedCapacity, { quota, slowdown }: SharedFits): SharedCapacity {
  const all = quota === null ? base : capacityWith(base, quota)
  return slowdown === null ? all : { ...all, slowdown: { shared: slowdown.shared } }
}

/**
 * The same run, as if executions had been alone, as far as that is explained; other waits count as
 * work, for they must not be lost.
 */
export function ownWorkOf(run: SeenRun, shared: Shared): SeenRun {
  const { crowding } = shared
  const alone = crowding === null ? run : withoutCrowding(run, crowding)
  return withUnexplained(alone, shared)
}

function withUnexplained(run: SeenRun, { quota, slowdown }: Shared): SeenRun {
  if (quota !== null && slowdown !== null) return run
  const unexplained = ({ waits }: SeenTask): Micros =>
    (quota === null ? (waits?.quota ?? 0) : 0) + (slowdown === null ? (waits?.slowed ?? 0) : 0)
  return {
    ...run,
    executions: run.executions.map((execution) => {
      const more = execution.tasks.map(unexplained)
      const tasks = execution.tasks.map(({ place, micros, waits }, i) => {
        return { place, micros: longer(micros, more[i]!), ...(waits && { waits }) }
      })
      const { ranMicros } = execution
      const all = sumOf(more)
      return Object.assign({}, execution, { tasks, ranMicros: ranMicros && longer(ranMicros, all) })
    }),
  }
}

function longer({ low, high }: Between, by: Micros): Between {
  return { low: low + by, high: high + by }
}

/** More of them than the most that a profile of a shared processor is tried with. */
const MOST_PROCESSORS = 64

function learnSlowdown(base: SharedCapacity, runs: MisfitRuns): LearnedSlowdown {
  const tried = Array.from({ length: MOST_PROCESSORS }, (_, i) => i + 1)
  let best: LearnedSlowdown = { shared: 1, misfit: Infinity }
  for (const shared of tried) {
    const misfit = misfitOf({ ...base, slowdown: { shared } }, runs, 'waits')
    if (misfit < best.misfit) best = { shared, misfit }
    // The fit has one valley.
    else if (shared > best.shared + 2) return best
  }
  return best
}

/** In wall time: a shorter wait is rounding. */
const ROUNDING = 2_000

function waitedIn(runs: readonly SeenRun[]): Shared['waited'] {
  const rounding = ROUNDING * speedOf(runs)
  const waits = runs
    .flatMap(takenOf)
    .flatMap(({ tasks }) => tasks.flatMap((task) => task.waits ?? []))
  return {
    quota: waits.filter(({ quota }) => quota > rounding).length,
    slowed: waits.filter(({ slowed }) => slowed > rounding).length,
    of: waits.length,
  }
}

function waitsOf(works: readonly SeenWork[]): number {
  return sumBy(works, ({ waits }) =>
    waits.reduce((all, { quota, slowed }) => all + quota + slowed, 0),
  )
}
