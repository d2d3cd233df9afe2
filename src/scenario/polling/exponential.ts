/**
 * `{ exponential: { initial: '2s', factor: 1.5, max: '15s', jitter: 'equal' } }`: intervals that
 * grow up to a bound.
 */
import { durationText } from '../../base/units.ts'
import type { Duration, Micros } from '../../base/units.ts'
import { backoffMicros, minimumBackoffMicros } from '../backoff.ts'
import type { Jitter } from '../backoff.ts'
import type { PollingStrategy } from './strategy.ts'

export interface ExponentialPolling {
  kind: 'exponential'
  initialMicros: Micros
  factor: number
  maxMicros: Micros
  jitter: Jitter
}

/** The option as an author writes it: growing intervals. */
export interface ExponentialOption {
  exponential: {
    /** The first interval, 1 ms or more. */
    initial: Duration
    /** Each interval is the previous one times this factor, 1 to 10. Default: 1.5. */
    factor?: number
    /** The longest interval; at least `initial`. */
    max: Duration
    /**
     * Keeps clients from polling in step. Default: `'equal'`: half of the interval is fixed, half
     * is random.
     */
    jitter?: Jitter
  }
}

export const exponential: PollingStrategy<ExponentialPolling, ExponentialOption> = {
  nextMicros: (policy, { intervals, previousMicros }, random) =>
    backoffMicros(policy, intervals, previousMicros, random),
  minimumMicros: (policy) => minimumBackoffMicros(policy),
  timed: (policy, time) => ({
    ...policy,
    initialMicros: time(policy.initialMicros),
    maxMicros: time(policy.maxMicros),
  }),
  write: ({ initialMicros, factor, maxMicros, jitter }) => ({
    exponential: {
      initial: durationText(initialMicros),
      factor,
      max: durationText(maxMicros),
      jitter,
    },
  }),
}
