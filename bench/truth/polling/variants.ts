/** Neighbours of a strategy: each parameter slightly larger, and slightly smaller. */
import type { PollingPolicy } from '../../../src/scenario/polling/index.ts'

export function variantsOf(policy: PollingPolicy, step: number): PollingPolicy[] {
  return [1 + step, 1 / (1 + step)].flatMap((factor) => near(policy, factor))
}

function near(policy: PollingPolicy, factor: number): PollingPolicy[] {
  const times = (micros: number): number => Math.max(1_000, Math.round(micros * factor))
  switch (policy.kind) {
    case 'fixed': {
      const { everyMicros, initialDelayMicros } = policy
      if (everyMicros === initialDelayMicros) {
        return [
          { ...policy, everyMicros: times(everyMicros), initialDelayMicros: times(everyMicros) },
        ]
      }
      return [
        { ...policy, everyMicros: times(everyMicros) },
        { ...policy, initialDelayMicros: times(initialDelayMicros) },
      ]
    }
    case 'schedule':
      return [{ ...policy, intervalsMicros: policy.intervalsMicros.map(times) }]
    case 'exponential':
      return [
        { ...policy, initialMicros: Math.min(times(policy.initialMicros), policy.maxMicros) },
        { ...policy, maxMicros: Math.max(times(policy.maxMicros), policy.initialMicros) },
        { ...policy, factor: Math.max(1, policy.factor * factor) },
      ]
    case 'progress':
      return [
        { ...policy, pollsPerTask: policy.pollsPerTask * factor },
        { ...policy, minMicros: Math.min(times(policy.minMicros), policy.maxMicros) },
        { ...policy, maxMicros: Math.max(times(policy.maxMicros), policy.minMicros) },
      ]
    default:
      throw new Error('this bench knows no variants of that strategy')
  }
}
