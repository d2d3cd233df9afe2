/** Learns how the number of workers follows the load, from starts that no end explains. */
import { middleOf } from '../../../../../result/inferred-workers/observed-stay.ts'
import { toDigits } from '../../../../../base/numbers.ts'
import { distanceTo } from '../../../../../result/statistics/rising.ts'
import type { SharedCapacity } from '../../../../../../fake-crew/play.ts'
import { Occupancy } from '../../../../../result/statistics/occupancy.ts'
import { quantileOf } from '../../../../../result/statistics/quantiles.ts'
import type { Micros } from '../../../../../base/units.ts'
import { MICROS_PER_SECOND } from '../../../../../base/units.ts'
import type { SeenRun } from '../../seen.ts'
import type { LearnedColdStart } from '../cold-start.ts'
import { readyAt } from '../cold-start.ts'
import { takenOf, workedOf } from '../../seen.ts'
import { EXACT, leastMisfit, misfitOf } from './misfit.ts'
import type { MisfitRuns } from './misfit.ts'

/** How workers come. */
export interface Growth {
  from: number
  to: number
  upAfter: Micros
  /** How often a worker was added. */
  added: number
}

export interface LearnedScaling extends Growth {
  downAfter: Micros
  /** Whether a run shows that workers go, and so when. */
  goes: boolean
}

interface Addition {
  /** How many were at work just before. */
  running: number
  /** Since others waited, or since the worker before. */
  after: Micros
}

/** Fewer may have another reason. */
const FEWEST_ADDED = 3

/** Null if the number of workers does not change. */
export function learnGrowth(
  seen: readonly SeenRun[],
  cold: LearnedColdStart | null,
): Growth | null {
  const added = seen.flatMap((run) => additionsIn(run, cold))
  if (added.length < FEWEST_ADDED) return null
  const from = Math.min(...added.map(({ running }) => running))
  const to = Math.max(...seen.map((run) => new Occupancy(takenOf(run).flatMap(workedOf)).most))
  const afters = added.map(({ after }) => after).toSorted((a, b) => a - b)
  const upAfter = toDigits(quantileOf(afters, 0.5) ?? 0, 3)
  if (from < 1 || to <= from || upAfter <= 0) return null
  return { from, to, upAfter, added: added.length }
}

/** `base` has what executions share beside workers. */
export function learnScaling(
  growth: Growth,
  base: SharedCapacity,
  runs: MisfitRuns,
): LearnedScaling {
  const misfitAt = (downAfter: Micros) => ({
    downAfter,
    misfit: misfitOf(scaledBy(base, { ...growth, downAfter }), runs, 'starts'),
  })
  const round = leastMisfit([Infinity, ...ROUND].map(misfitAt))
  const best =
    round.misfit <= EXACT
      ? round
      : leastMisfit([round, ...DOWN.map((times) => misfitAt(times * growth.upAfter))])
  const goes = best.downAfter < Infinity
  const longest = Math.max(LONGEST, 10 * growth.upAfter)
  return { ...growth, downAfter: goes ? toDigits(best.downAfter, 3) : longest, goes }
}

export function scaledBy(
  base: SharedCapacity,
  { from, to, upAfter, downAfter }: Growth & { downAfter: Micros },
): SharedCapacity {
  const scaling = { to, upAfterMicros: upAfter, downAfterMicros: downAfter }
  return { ...base, workers: from, scaling }
}

/** People write round times after which workers go. */
const ROUND = [1, 2, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600, 900, 1_800, 3_600].map(
  (seconds) => seconds * MICROS_PER_SECOND,
)
/** Others that are tried, as multiples of the time after which they come. */
const DOWN = Array.from({ length: 25 }, (_, i) => 0.5 * 10 ** (i / 10))
/** Of a crew whose workers were not seen to go. */
const LONGEST = ROUND.at(-1)!

/** In wall time: a shorter wait is rounding. */
const SHORTEST: Micros = 2_000

/** The executions that had waited, and that began while no other one ended. */
function additionsIn(run: SeenRun, cold: LearnedColdStart | null): Addition[] {
  const shortest = SHORTEST * run.speed
  const taken = takenOf(run)
  const ready = readyAt(taken, cold)
  const spans = taken.flatMap(workedOf)
  const working = new Occupancy(spans)
  const ends = Float64Array.from(spans, ([, end]) => end).sort()
  const waiting = taken.flatMap(({ started }, i): [Micros, Micros][] =>
    started === null ? [] : [[ready[i]!, middleOf(started)]],
  )
  const queue = new Occupancy(waiting.filter(([from, to]) => to > from))
  let [emptyUntil, last] = [-Infinity, -Infinity]
  const additions: Addition[] = []
  for (const [from, start] of waiting.toSorted(([, a], [, b]) => a - b)) {
    // It was the first to wait: nobody waited when it came.
    if (queue.at(from - 1) === 0) emptyUntil = Math.max(emptyUntil, from)
    if (start - from <= shortest || distanceTo(ends, start) <= shortest) continue
    const since = Math.max(emptyUntil, last)
    additions.push({ running: working.at(start - 1), after: start - since })
    last = start
  }
  return additions
}
