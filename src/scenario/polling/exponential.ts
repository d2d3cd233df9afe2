/**
 * `{ exponential: { initial: '2s', factor: 1.5, max: '15s', jitter: 'equal' } }`: longer and
 * longer, up to a bound.
 */
import { durationText } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'
import { backoffMicros, minimumBackoffMicros } from '../backoff.ts'
import type { Jitter } from '../plan.ts'
import type { Duration } from '../options.ts'
import type { PollingStrategy } from './strategy.ts'

export interface ExponentialPolling {
  kind: 'exponential'
  initialMicros: Micros
  factor: number
  maxMicros: Micros
  jitter: Jitter
}

/** As an author writes it: longer and longer intervals. */
export interface ExponentialOption {
  exponential: {
    /** The first, 1 ms or more. */
    initial: Duration
    /** Each is so many times the one before, 1 to 10. Default: 1.5. */
    factor?: number
    /** The longest; at least `initial`. */
    max: Duration
    /**
     * Keeps clients from polling in step. Default: `'equal'`: half of the interval stands, half is
     * drawn.
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
