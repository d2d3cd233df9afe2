/**
 * `{ progress: { min: '1s', max: '10s', pollsPerTask: 4 } }`: approximately that many polls while
 * one task runs, within the bounds.
 */
import { durationText } from '../../base/units.ts'
import type { Duration, Micros } from '../../base/units.ts'
import type { PollingPace, PollingStrategy } from './strategy.ts'

export interface ProgressPolling {
  kind: 'progress'
  minMicros: Micros
  maxMicros: Micros
  pollsPerTask: number
}

/** The option as an author writes it. */
export interface ProgressOption {
  /** Adapts to the duration of the tasks completed so far, within the bounds. */
  progress: {
    min: Duration
    max: Duration
    /** The approximate number of polls while one task runs; 0.1 to 1,000. Default: 4. */
    pollsPerTask?: number
  }
}

export const progress: PollingStrategy<ProgressPolling, ProgressOption> = {
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
  write: ({ minMicros, maxMicros, pollsPerTask }) => ({
    progress: { min: durationText(minMicros), max: durationText(maxMicros), pollsPerTask },
  }),
}

/**
 * The mean duration of the tasks completed so far; before the first one (or without counters) the
 * elapsed time, so that intervals grow with it.
 */
function taskEstimateMicros({ elapsedMicros, completedTasks }: PollingPace): Micros {
  return elapsedMicros / Math.max(1, completedTasks ?? 0)
}
