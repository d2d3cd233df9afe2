/** `{ fixed: '5s', initialDelay: '20s' }`: one interval, after a first one of its own. */
import type { Micros } from '../../base/units.ts'
import type { PollingStrategy } from './strategy.ts'

export interface FixedPolling {
  kind: 'fixed'
  everyMicros: Micros
  initialDelayMicros: Micros
}

export const fixed: PollingStrategy<FixedPolling> = {
  nextMicros: (policy, { intervals }) =>
    intervals === 0 ? policy.initialDelayMicros : policy.everyMicros,
  minimumMicros: (policy) => Math.min(policy.everyMicros, policy.initialDelayMicros),
  timed: (policy, time) => ({
    ...policy,
    everyMicros: time(policy.everyMicros),
    initialDelayMicros: time(policy.initialDelayMicros),
  }),
}
