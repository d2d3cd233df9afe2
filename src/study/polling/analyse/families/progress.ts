/** Paced by the tasks completed so far. */
import type { PollingPolicy } from '../../../../scenario/polling/index.ts'
import type { Family } from './family.ts'
import { neat } from './grid.ts'

const POLLS_PER_TASK = [0.5, 1, 2, 4, 8, 16]
/** Of the mean execution time. */
const LEAST = [0.005, 0.02, 0.05]
const MOST = [0.1, 0.3, 1]

export const progress: Family = {
  words: 'progress',
  learned: false,
  /** None where the target counts no tasks. */
  policies: ({ meanMicros, tasks }) =>
    tasks === 0
      ? []
      : POLLS_PER_TASK.flatMap((pollsPerTask) =>
          LEAST.flatMap((least) =>
            MOST.map((most): PollingPolicy => ({
              kind: 'progress',
              minMicros: neat(meanMicros * least),
              maxMicros: neat(meanMicros * most),
              pollsPerTask,
            })),
          ),
        ),
}
