/**
 * Parses `schedule` as an author writes it into its policy; times are still those of the author.
 */
import { z } from 'zod'
import { positiveDuration } from '../schema/quantities.ts'
import { section } from '../schema/shapes.ts'
import type { ScheduleOption, SchedulePolling } from './schedule.ts'
import type { PollingWords } from './words.ts'

const MAX_INTERVALS = 1_000

const schema = section({
  schedule: z
    .array(positiveDuration(), { error: 'expected a list of durations' })
    .min(1, { error: 'expected at least one duration' })
    .max(MAX_INTERVALS, { error: `expected at most ${MAX_INTERVALS} durations` }),
}).transform((value): SchedulePolling => ({ kind: 'schedule', intervalsMicros: value.schedule }))

export const scheduleWords: PollingWords<SchedulePolling, ScheduleOption> = {
  description: 'These intervals in order; the last one repeats.',
  example: { schedule: ['1s', '2s', '10s'] },
  schema,
}
