/**
 * Parses `progress` as an author writes it into its policy; times are still those of the author.
 */
import { number, positiveDuration } from '../schema/quantities.ts'
import { section } from '../schema/shapes.ts'
import type { ProgressOption, ProgressPolling } from './progress.ts'
import type { PollingWords } from './words.ts'

const MAX_POLLS_PER_TASK = 1_000

const schema = section({
  progress: section({
    min: positiveDuration(),
    max: positiveDuration(),
    pollsPerTask: number(0.1, MAX_POLLS_PER_TASK).default(4),
  }).refine(({ min, max }) => min <= max, { error: 'expected min <= max' }),
}).transform(({ progress: { min, max, pollsPerTask } }): ProgressPolling => {
  return { kind: 'progress', minMicros: min, maxMicros: max, pollsPerTask }
})

export const progressWords: PollingWords<ProgressPolling, ProgressOption> = {
  description: 'Adapts to the tasks completed so far, within the bounds.',
  example: { progress: { min: '1s', max: '10s', pollsPerTask: 4 } },
  schema,
}
