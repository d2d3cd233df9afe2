/** `{ schedule: ['1s', '2s', '10s'] }`: a list of intervals; the last one repeats. */
import { assert } from '../../base/assert.ts'
import { durationText } from '../../base/units.ts'
import type { Duration, Micros } from '../../base/units.ts'
import type { PollingStrategy } from './strategy.ts'

export interface SchedulePolling {
  kind: 'schedule'
  /** The intervals in turn; at least one. */
  intervalsMicros: readonly Micros[]
}

/** The option as an author writes it. */
export interface ScheduleOption {
  /** These intervals in order, 1 to 1,000; the last repeats. */
  schedule: readonly Duration[]
}

export const schedule: PollingStrategy<SchedulePolling, ScheduleOption> = {
  nextMicros: ({ intervalsMicros }, { intervals }) => {
    const interval = intervalsMicros[Math.min(intervals, intervalsMicros.length - 1)]
    assert(interval !== undefined, 'a polling schedule has at least one interval')
    return interval
  },
  minimumMicros: ({ intervalsMicros }) =>
    intervalsMicros.reduce((least, interval) => Math.min(least, interval)),
  timed: (policy, time) => ({
    ...policy,
    intervalsMicros: policy.intervalsMicros.map((micros) => time(micros)),
  }),
  write: ({ intervalsMicros }) => ({ schedule: intervalsMicros.map(durationText) }),
}
