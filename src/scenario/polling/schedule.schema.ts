/**
 * Parses `schedule` as an author writes it into its policy; times are still those of the author.
 */
import { z } from 'zod'
import type { Micros } from '../../base/units.ts'
import { formatDuration, formatDurations } from '../../base/numbers.ts'
import { positiveDuration } from '../quantities.ts'
import { HINT, hinted, pollingSection, secondsText } from './definition.ts'
import type { SchedulePolling } from './index.ts'
import type { PollingWords } from './definition.ts'

const MAX_INTERVALS = 1_000

const schema = pollingSection({
  schedule: z
    .array(positiveDuration(), { error: 'expected a list of durations' })
    .min(1, { error: 'expected at least one duration' })
    .max(MAX_INTERVALS, { error: `expected at most ${MAX_INTERVALS} durations` }),
}).transform((value): SchedulePolling => {
  return { kind: 'schedule', intervalsMicros: value.schedule, ...hinted(value) }
})

export const scheduleWords: PollingWords<SchedulePolling> = {
  description: 'These intervals in order; the last one repeats.',
  example: { schedule: ['1s', '2s', '10s'] },
  schema,
  planned: z.object({
    kind: z.literal('schedule'),
    intervalsMicros: z.array(z.number()).readonly(),
    ...HINT,
  }),
  tell: ({ intervalsMicros }) => intervalsWords(intervalsMicros),
  tried: null,
  loop: {
    typescript: ({ intervalsMicros }) =>
      `  const waits = [${intervalsMicros.map(secondsText).join(', ')}]
  return waits[Math.min(polls, waits.length - 1)]!`,
    python: ({ intervalsMicros }) =>
      `    waits = [${intervalsMicros.map(secondsText).join(', ')}]
    return waits[min(polls, len(waits) - 1)]`,
  },
}

/** Intervals that are named one by one. */
const NAMED = 4

function intervalsWords(intervalsMicros: readonly Micros[]): string {
  const every = `every ${formatDuration(intervalsMicros.at(-1) ?? 0)}`
  const [first, ...others] = intervalsMicros.slice(0, -1)
  if (first === undefined) return every
  const begun = `after ${formatDuration(first)}`
  if (others.length < NAMED)
    return [begun, ...others.map(formatDuration), `then ${every}`].join(', ')
  const range = formatDurations(Math.min(...others), Math.max(...others))
  return `${begun}, ${others.length} intervals of ${range}, then ${every}`
}
