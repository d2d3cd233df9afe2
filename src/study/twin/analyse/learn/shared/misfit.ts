/** How far a fake crew with some capacity is from what the ledgers of runs say. */
import type { SharedCapacity } from '../../../../../../fake-crew/play.ts'
import { play } from '../../../../../../fake-crew/play.ts'
import type { Micros } from '../../../../../base/units.ts'
import { MICROS_PER_MS } from '../../../../../base/units.ts'
import type { SeenWork } from './works.ts'

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
    all += a.reduce((sum, micros) => sum + micros, 0)
    got += b.reduce((sum, micros) => sum + micros, 0)
  }
  const total = Math.max(1, all)
  return { misfit: off / total, ratio: got / total }
}

export function misfitOf(capacity: SharedCapacity, runs: MisfitRuns, compared: Compared): number {
  return compare(capacity, runs, compared).misfit
}

/** A play of the true capacity, but for rounding. */
export const EXACT = 0.02

export function leastOf<T extends { misfit: number }>(all: readonly T[]): T {
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
