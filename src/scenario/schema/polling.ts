/** Polling and retries as an author writes them, to the plan's policies; times still the author's. */
import { z } from 'zod'
import type { Backoff } from '../backoff.ts'
import type { RetryBudgetPolicy, RetryPolicy } from '../plan.ts'
import type { PollingPolicy } from '../polling/index.ts'
import { duration, integer, number, oneOf, positiveDuration, share } from './quantities.ts'
import { choice, section } from './shapes.ts'

const MAX_FACTOR = 10
const MAX_INTERVALS = 1_000
const MAX_POLLS_PER_TASK = 1_000
const MAX_RETRIES = 20

const jitter = oneOf(['none', 'full', 'equal', 'decorrelated'])

const fixed = section({
  fixed: positiveDuration(),
  initialDelay: duration().optional(),
}).transform((value): PollingPolicy => ({
  kind: 'fixed',
  everyMicros: value.fixed,
  initialDelayMicros: value.initialDelay ?? value.fixed,
}))

const exponential = section({
  exponential: section({
    initial: positiveDuration(),
    factor: number(1, MAX_FACTOR).default(1.5),
    max: positiveDuration(),
    jitter: jitter.default('equal'),
  }).refine(({ initial, max }) => initial <= max, { error: 'expected initial <= max' }),
}).transform(({ exponential: { initial, factor, max, jitter } }): PollingPolicy => {
  return { kind: 'exponential', initialMicros: initial, factor, maxMicros: max, jitter }
})

const schedule = section({
  schedule: z
    .array(positiveDuration(), { error: 'expected a list of durations' })
    .min(1, { error: 'expected at least one duration' })
    .max(MAX_INTERVALS, { error: `expected at most ${MAX_INTERVALS} durations` }),
}).transform((value): PollingPolicy => ({ kind: 'schedule', intervalsMicros: value.schedule }))

const progress = section({
  progress: section({
    min: positiveDuration(),
    max: positiveDuration(),
    pollsPerTask: number(0.1, MAX_POLLS_PER_TASK).default(4),
  }).refine(({ min, max }) => min <= max, { error: 'expected min <= max' }),
}).transform(({ progress: { min, max, pollsPerTask } }): PollingPolicy => {
  return { kind: 'progress', minMicros: min, maxMicros: max, pollsPerTask }
})

export const polling = choice({ fixed, exponential, schedule, progress })

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
 * Four attempts beyond the first as the vendor's own client makes them; the budget (a fifth of the first attempts of ten seconds, and
 * ten in any case) is that of Finagle's RetryBudget.
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
