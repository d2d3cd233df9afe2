/**
 * Parses polling and retries as an author writes them into the plan's policies; times are still
 * those of the author.
 */
import { z } from 'zod'
import type { Backoff } from '../backoff.ts'
import type { RetryBudgetPolicy, RetryPolicy } from '../plan.ts'
import type { PollingPolicy } from '../polling/index.ts'
import { POLLING_WORDS } from '../polling/schemas.ts'
import { MAX_FACTOR, jitter } from '../polling/words.ts'
import { integer, number, oneOf, positiveDuration, share, choice, section } from './quantities.ts'

const MAX_RETRIES = 20

export const polling: z.ZodType<PollingPolicy> = choice(
  Object.fromEntries(Object.entries(POLLING_WORDS).map(([kind, { schema }]) => [kind, schema])),
)

const budget = section({
  ratio: share().default(0.2),
  minimum: integer(0, 1_000_000).default(10),
  window: positiveDuration().default(10_000_000),
})

const backoff = section({
  initial: positiveDuration().default(500_000),
  factor: number(1, MAX_FACTOR).default(2),
  max: positiveDuration().default(10_000_000),
  jitter: jitter.default('full'),
}).refine(({ initial, max }) => initial <= max, { error: 'expected initial <= max' })

function backoffOf({ initial, factor, max, jitter }: z.output<typeof backoff>): Backoff {
  return { initialMicros: initial, factor, maxMicros: max, jitter }
}

function budgetOf({ window, ...counts }: z.output<typeof budget>): RetryBudgetPolicy {
  return { ...counts, windowMicros: window }
}

/**
 * Four retries, as in the vendor's own client; the budget (20 % of the first attempts in ten
 * seconds, plus ten) is that of Finagle's RetryBudget.
 */
const retryOptions = section(
  {
    status: integer(0, MAX_RETRIES).default(4),
    kickoff: integer(0, MAX_RETRIES).default(4),
    unknownKickoffs: oneOf(['leave', 'repeat']).default('leave'),
    backoff: backoff.prefault({}),
    budget: budget.prefault({}),
  },
  '"none" or ',
)

const NONE = { status: 0, kickoff: 0 }

export const retry = z
  .preprocess((value) => (value === 'none' ? NONE : value), retryOptions)
  .transform(({ status, kickoff, unknownKickoffs, backoff, budget }): RetryPolicy => ({
    statusRetries: status,
    kickoffRetries: kickoff,
    unknownKickoffs,
    backoff: backoffOf(backoff),
    budget: budgetOf(budget),
  }))
