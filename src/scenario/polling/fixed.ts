/** `{ fixed: '5s', initialDelay: '20s' }`: a constant interval, after a separate first one. */
import { durationText } from '../../base/units.ts'
import type { Duration, Micros } from '../../base/units.ts'
import type { PollingStrategy } from './strategy.ts'

export interface FixedPolling {
  kind: 'fixed'
  everyMicros: Micros
  initialDelayMicros: Micros
}

/** The option as an author writes it. */
export interface FixedOption {
  /** The constant interval, 1 ms or more. */
  fixed: Duration
  /** The interval before the first poll, for crews that never finish early. Default: as `fixed`. */
  initialDelay?: Duration
}

export const fixed: PollingStrategy<FixedPolling, FixedOption> = {
  nextMicros: (policy, { intervals }) =>
    intervals === 0 ? policy.initialDelayMicros : policy.everyMicros,
  minimumMicros: (policy) => Math.min(policy.everyMicros, policy.initialDelayMicros),
  timed: (policy, time) => ({
    ...policy,
    everyMicros: time(policy.everyMicros),
    initialDelayMicros: time(policy.initialDelayMicros),
  }),
  write: ({ everyMicros, initialDelayMicros }) => ({
    fixed: durationText(everyMicros),
    ...(initialDelayMicros === everyMicros
      ? {}
      : { initialDelay: durationText(initialDelayMicros) }),
  }),
}
