/** When to ask again: every polling policy as a pure function of what the client has seen so far. */
import { assert, unreachable } from '../assert.ts'
import type { Random } from '../random.ts'
import type { Micros } from '../units.ts'
import { backoffMicros, minimumBackoffMicros } from './backoff.ts'
import type { PollingPolicy } from './plan.ts'

/** What a policy may look at. */
export interface PollingPace {
  /** Intervals given so far; 0 before the first poll. */
  intervals: number
  /** The last of them; 0 before the first. */
  previousMicros: Micros
  /** Since the kickoff was accepted. */
  elapsedMicros: Micros
  /** As last told by the target; null when it does not tell. */
  completedTasks: number | null
}

/**
 * The next interval in integer microseconds, from the last byte of the answer before (for the first poll: of the kickoff's answer).
 * Never below `minimumIntervalMicros(policy)`. `random` is the execution's own stream; only jitter draws from it.
 */
export function nextIntervalMicros(
  policy: PollingPolicy,
  pace: PollingPace,
  random: Random,
): Micros {
  switch (policy.kind) {
    case 'fixed':
      return pace.intervals === 0 ? policy.initialDelayMicros : policy.everyMicros
    case 'exponential':
      return backoffMicros(policy, pace.intervals, pace.previousMicros, random)
    case 'schedule': {
      const { intervalsMicros } = policy
      const interval = intervalsMicros[Math.min(pace.intervals, intervalsMicros.length - 1)]
      assert(interval !== undefined, 'a polling schedule has at least one interval')
      return interval
    }
    case 'progress':
      return clamp(taskEstimateMicros(pace) / policy.pollsPerTask, policy)
    default:
      return unreachable(policy)
  }
}

/** No interval of this policy is shorter. */
export function minimumIntervalMicros(policy: PollingPolicy): Micros {
  switch (policy.kind) {
    case 'fixed':
      return Math.min(policy.everyMicros, policy.initialDelayMicros)
    case 'exponential':
      return minimumBackoffMicros(policy)
    case 'schedule':
      return policy.intervalsMicros.reduce((least, interval) => Math.min(least, interval))
    case 'progress':
      return policy.minMicros
    default:
      return unreachable(policy)
  }
}

/** Mean time of the tasks completed so far; before the first one (or without counters) the time elapsed, so that intervals grow with it. */
function taskEstimateMicros({ elapsedMicros, completedTasks }: PollingPace): Micros {
  return elapsedMicros / Math.max(1, completedTasks ?? 0)
}

function clamp(micros: Micros, bounds: { minMicros: Micros; maxMicros: Micros }): Micros {
  return Math.max(bounds.minMicros, Math.min(bounds.maxMicros, Math.round(micros)))
}
