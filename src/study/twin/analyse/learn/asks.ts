/** Learns how often a crew asks a person about each task, and how long the answer takes. */
import { shareInterval } from '../../../../result/statistics/shares.ts'
import type { Fit } from '../fit/fit.ts'
import { fitOf } from '../fit/fit.ts'
import type { SeenRun } from '../seen.ts'
import { takenOf } from './taken.ts'

export interface Asks {
  place: number
  /** Of the executions that came so far, those about which somebody was asked. */
  asked: number
  reached: number
  low: number
  high: number
  /** Those that nobody had answered when the run ended. */
  open: number
  /** How long answers took; null if there were too few. */
  fit: Fit | null
}

/** Only ledgers tell when a person was asked. */
export function learnAsks(runs: readonly SeenRun[], count: number): Asks[] {
  const taken = runs.filter(({ truth }) => truth === 'ledger').flatMap(takenOf)
  return Array.from({ length: count }, (_, place): Asks | null => {
    const all = taken.flatMap(({ asked = [] }) => asked.filter((each) => each.place === place))
    if (all.length === 0) return null
    const reached = taken.filter(
      ({ tasks, asked = [] }) => tasks.length > place || asked.some((each) => each.place === place),
    ).length
    const answered = all.filter(({ to }) => to < Infinity)
    const { low, high } = shareInterval(all.length, reached) ?? { low: 0, high: 1 }
    const fit = fitOf(answered.map(({ from, to }) => ({ low: to - from - 1, high: to - from + 1 })))
    return { place, asked: all.length, reached, low, high, open: all.length - answered.length, fit }
  }).filter((each) => each !== null)
}
