/**
 * The list of how strategies are written and checked; the compiler requires an entry for each
 * strategy.
 */
import { z } from 'zod'
import { exponentialWords } from './exponential.schema.ts'
import { fixedWords } from './fixed.schema.ts'
import type { PollingPolicy } from './index.ts'
import { progressWords } from './progress.schema.ts'
import { scheduleWords } from './schedule.schema.ts'
import type { PollingWords } from './definition.ts'

export const POLLING_WORDS: {
  [K in PollingPolicy['kind']]: PollingWords<Extract<PollingPolicy, { kind: K }>>
} = {
  fixed: fixedWords,
  exponential: exponentialWords,
  schedule: scheduleWords,
  progress: progressWords,
}

/** The shape of a policy in a plan. */
export const policies: z.ZodType<PollingPolicy> = z.union(
  Object.values(POLLING_WORDS).map(({ planned }) => planned),
)

/** The kind of the policy names its strategy, which the type of the table proves to fit. */
export function pollingWordsOf(policy: PollingPolicy): PollingWords<PollingPolicy> {
  return POLLING_WORDS[policy.kind]
}
