/** Nothing at first, then the same interval: for executions that are never done early. */
import type { PollingFamily } from './family.ts'
import { neat, notBefore } from '../../../../scenario/polling/words.ts'

/** The initial delays, as quantiles of the execution times. */
const DELAYS = [0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 1]
/** Steps from 300 polls for an execution of mean length down to one. */
const STEPS = 27
const MOST_POLLS = 300

export const initialDelay: PollingFamily = {
  words: 'initial delay, then fixed',
  learned: true,
  policies: ({ meanMicros, quantile }) =>
    DELAYS.flatMap((q) =>
      Array.from({ length: STEPS }, (_, step) => ({
        kind: 'fixed' as const,
        everyMicros: neat(meanMicros * MOST_POLLS ** (-step / (STEPS - 1))),
        initialDelayMicros: q === 1 ? notBefore(quantile(q)) : neat(quantile(q)),
      })),
    ),
}
