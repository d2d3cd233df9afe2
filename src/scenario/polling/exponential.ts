/** `{ exponential: { initial: '2s', factor: 1.5, max: '15s', jitter: 'equal' } }`: longer and longer, up to a bound. */
import type { Micros } from '../../base/units.ts'
import { backoffMicros, minimumBackoffMicros } from '../backoff.ts'
import type { Jitter } from '../plan.ts'
import type { PollingStrategy } from './strategy.ts'

export interface ExponentialPolling {
  kind: 'exponential'
  initialMicros: Micros
  factor: number
  maxMicros: Micros
  jitter: Jitter
}

export const exponential: PollingStrategy<ExponentialPolling> = {
  nextMicros: (policy, { intervals, previousMicros }, random) =>
    backoffMicros(policy, intervals, previousMicros, random),
  minimumMicros: (policy) => minimumBackoffMicros(policy),
  timed: (policy, time) => ({
    ...policy,
    initialMicros: time(policy.initialMicros),
    maxMicros: time(policy.maxMicros),
  }),
}
