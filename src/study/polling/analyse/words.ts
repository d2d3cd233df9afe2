/** A polling strategy in words, and as a scenario writes it. */
import { unreachable } from '../../../base/assert.ts'
import { formatDuration } from '../../../base/units.ts'
import type { PollingPolicy } from '../../../scenario/polling/index.ts'

/** Intervals that are named one by one. */
const NAMED = 4

/** `every 6.10 s, the first after 42.0 s`. */
export function policyWords(policy: PollingPolicy): string {
  switch (policy.kind) {
    case 'fixed': {
      const { everyMicros, initialDelayMicros } = policy
      const every = `every ${formatDuration(everyMicros)}`
      if (everyMicros === initialDelayMicros) return every
      return `after ${formatDuration(initialDelayMicros)}, then ${every}`
    }
    case 'schedule':
      return scheduleWords(policy.intervalsMicros)
    case 'exponential': {
      const { initialMicros, maxMicros, factor, jitter } = policy
      const drawn = jitter === 'none' ? 'no jitter' : `${jitter} jitter`
      const growth = jitter === 'decorrelated' ? '' : ` x${factor}`
      return `${formatDuration(initialMicros)}${growth} up to ${formatDuration(maxMicros)}, ${drawn}`
    }
    case 'progress': {
      const { minMicros, maxMicros, pollsPerTask } = policy
      return `${pollsPerTask} polls per task, ${formatDuration(minMicros)} to ${formatDuration(maxMicros)}`
    }
    default:
      return unreachable(policy)
  }
}

function scheduleWords(intervals: readonly number[]): string {
  const tail = `then every ${formatDuration(intervals.at(-1) ?? 0)}`
  const listed = intervals.slice(0, -1)
  if (listed.length <= NAMED) return [...listed.map(formatDuration), tail].join(', ')
  const [first = 0, ...others] = listed
  const [least, most] = [Math.min(...others), Math.max(...others)]
  return `${formatDuration(first)}, ${others.length} intervals of ${formatDuration(least)} to ${formatDuration(most)}, ${tail}`
}
