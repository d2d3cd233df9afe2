/** The bounds of polling policies, as their definitions say. */
import { JITTER_FLOOR_MICROS } from '../../src/scenario/backoff.ts'
import type { PollingPolicy } from '../../src/scenario/polling/index.ts'

/** The lower bound of all intervals of this policy. */
export function leastIntervalMicros(policy: PollingPolicy): number {
  switch (policy.kind) {
    case 'fixed':
      return Math.min(policy.everyMicros, policy.initialDelayMicros)
    case 'schedule':
      return Math.min(...policy.intervalsMicros)
    case 'progress':
      return policy.minMicros
    case 'exponential': {
      const { initialMicros, jitter } = policy
      if (jitter === 'full') return Math.min(JITTER_FLOOR_MICROS, initialMicros)
      return jitter === 'equal' ? Math.ceil(initialMicros / 2) : initialMicros
    }
    default:
      throw new Error('the bounds of that strategy are not known here')
  }
}
