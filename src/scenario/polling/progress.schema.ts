/**
 * Parses `progress` as an author writes it into its policy; times are still those of the author.
 */
import { formatDurations } from '../../base/numbers.ts'
import { z } from 'zod'
import { number, positiveDuration, section } from '../quantities.ts'
import { HINT, hinted, pollingSection, neat, secondsText } from './definition.ts'
import type { ProgressPolling } from './index.ts'
import type { PollingWords } from './definition.ts'

const MAX_POLLS_PER_TASK = 1_000

const schema = pollingSection({
  progress: section({
    min: positiveDuration(),
    max: positiveDuration(),
    pollsPerTask: number(0.1, MAX_POLLS_PER_TASK).default(4),
  }).refine(({ min, max }) => min <= max, { error: 'expected min <= max' }),
}).transform((value): ProgressPolling => {
  const { min, max, pollsPerTask } = value.progress
  return { kind: 'progress', minMicros: min, maxMicros: max, pollsPerTask, ...hinted(value) }
})

export const progressWords: PollingWords<ProgressPolling> = {
  description: 'Adapts to the tasks completed so far, within the bounds.',
  example: { progress: { min: '1s', max: '10s', pollsPerTask: 4 } },
  schema,
  planned: z.object({
    kind: z.literal('progress'),
    minMicros: z.number(),
    maxMicros: z.number(),
    pollsPerTask: z.number(),
    ...HINT,
  }),
  tell({ minMicros, maxMicros, pollsPerTask }) {
    return `${pollsPerTask} times per task, every ${formatDurations(minMicros, maxMicros)}`
  },
  tried: ({ meanMicros, tasks }) =>
    tasks === 0
      ? []
      : POLLS_PER_TASK.flatMap((pollsPerTask) =>
          LEAST.flatMap((least) =>
            MOST.map((most): ProgressPolling => ({
              kind: 'progress',
              minMicros: neat(meanMicros * least),
              maxMicros: neat(meanMicros * most),
              pollsPerTask,
            })),
          ),
        ),
  loop: {
    typescript: ({ minMicros, maxMicros, pollsPerTask }) =>
      `  const task = elapsed / Math.max(1, completed)
  return Math.max(${secondsText(minMicros)}, Math.min(${secondsText(maxMicros)}, task / ${pollsPerTask}))`,
    python: ({ minMicros, maxMicros, pollsPerTask }) =>
      `    task = elapsed / max(1, completed)
    return max(${secondsText(minMicros)}, min(${secondsText(maxMicros)}, task / ${pollsPerTask}))`,
  },
}

const POLLS_PER_TASK = [0.5, 1, 2, 4, 8, 16]
/** The least intervals to try, as shares of the mean execution time. */
const LEAST = [0.005, 0.02, 0.05]
const MOST = [0.1, 0.3, 1]
