/** Learns the time of an execution that belongs to no task, such as set-up between tasks. */
import { meanOf } from '../../../../result/statistics/moments.ts'
import type { Fit } from '../fit/fit.ts'
import { fitOf } from '../fit/fit.ts'
import { isCensored, middleOf } from '../fit/sample.ts'
import type { SeenRun } from '../seen.ts'

/** A smaller share of the time of an execution changes nothing that anybody sees. */
const LEAST_SHARE = 0.01

/**
 * Null where crews do not report the times of executions and all of their tasks, where tasks run
 * side by side, and where nearly nothing is left.
 */
export function learnOverhead(runs: readonly SeenRun[], count: number): Fit | null {
  const whole = runs.flatMap(({ executions }) =>
    executions.flatMap(({ outcome, ranMicros, tasks }) => {
      const isWhole = outcome === 'completed' && ranMicros !== null && tasks.length === count
      if (!isWhole || tasks.some(({ micros }) => isCensored(micros))) return []
      return { ran: ranMicros, tasks: tasks.map(({ micros }) => micros) }
    }),
  )
  const left = whole.map(({ ran, tasks }) => ({
    low: ran.low - tasks.reduce((sum, { high }) => sum + high, 0),
    high: ran.high - tasks.reduce((sum, { low }) => sum + low, 0),
  }))
  const mean = meanOf(left.map(middleOf))
  if (!(mean > LEAST_SHARE * meanOf(whole.map(({ ran }) => middleOf(ran))))) return null
  return fitOf(left.map(({ low, high }) => ({ low: Math.max(0, low), high: Math.max(1, high) })))
}
