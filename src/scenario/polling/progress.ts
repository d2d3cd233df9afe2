/** `{ progress: { min: '1s', max: '10s', pollsPerTask: 4 } }`: about so many polls while one task runs, within the bounds. */
import type { Micros } from '../../base/units.ts'
import type { PollingPace, PollingStrategy } from './strategy.ts'

export interface ProgressPolling {
  kind: 'progress'
  minMicros: Micros
  maxMicros: Micros
  pollsPerTask: number
}

export const progress: PollingStrategy<ProgressPolling> = {
  nextMicros: ({ minMicros, maxMicros, pollsPerTask }, pace) => {
    const wanted = Math.round(taskEstimateMicros(pace) / pollsPerTask)
    return Math.max(minMicros, Math.min(maxMicros, wanted))
  },
  minimumMicros: ({ minMicros }) => minMicros,
  timed: (policy, time) => ({
    ...policy,
    minMicros: time(policy.minMicros),
    maxMicros: time(policy.maxMicros),
  }),
}

/** Mean time of the tasks completed so far; before the first one (or without counters) the time elapsed, so that intervals grow with it. */
function taskEstimateMicros({ elapsedMicros, completedTasks }: PollingPace): Micros {
  return elapsedMicros / Math.max(1, completedTasks ?? 0)
}
