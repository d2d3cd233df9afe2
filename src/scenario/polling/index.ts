/** When to poll again: every polling strategy as pure functions of what the client has observed. */
import type { Random } from '../../base/random.ts'
import type { Micros } from '../../base/units.ts'
import { exponential } from './exponential.ts'
import { fixed } from './fixed.ts'
import { progress } from './progress.ts'
import { schedule } from './schedule.ts'
import type { PollingPace, PollingStrategy } from './strategy.ts'

export type { PollingPace } from './strategy.ts'

/**
 * The list of the strategies, by the key that an author writes; `schemas.ts` lists their checks.
 */
const STRATEGIES = { fixed, exponential, schedule, progress }

type StrategyName = keyof typeof STRATEGIES

type PolicyOf<S> = S extends PollingStrategy<infer Policy, unknown> ? Policy : never
type WrittenOf<S> = S extends { readonly written?: infer Written } ? Written : never

/**
 * What a client makes of a `Retry-After` beside an answer that refuses nothing: it polls at its own
 * interval (the default), or waits as long as that asks for.
 */
export interface PollingHint {
  hint?: 'obey'
}

export type PollingPolicy = PolicyOf<(typeof STRATEGIES)[StrategyName]> & PollingHint

/** The polling as an author writes it. */
export type PollingOption = WrittenOf<(typeof STRATEGIES)[StrategyName]> & {
  /**
   * Whether to wait as long as a `Retry-After` asks for beside an answer that refuses nothing and
   * whose quota is not used up. Default: `'ignore'`, which polls at the scenario's own interval.
   */
  hint?: 'obey' | 'ignore'
}

/** Looks up the strategy by the policy's kind; the type of the table guarantees that they match. */
function strategyOf(policy: PollingPolicy): PollingStrategy<PollingPolicy, PollingOption> {
  return STRATEGIES[policy.kind]
}

/**
 * The next interval in integer microseconds, from the last byte of the previous answer (for the
 * first poll: of the kickoff's answer). Never below `minimumIntervalMicros(policy)`. `random` is
 * the execution's own stream; only jitter draws from it.
 */
export function nextIntervalMicros(
  policy: PollingPolicy,
  pace: PollingPace,
  random: Random,
): Micros {
  return strategyOf(policy).nextMicros(policy, pace, random)
}

/** The lower bound of all intervals of this policy. */
export function minimumIntervalMicros(policy: PollingPolicy): Micros {
  return strategyOf(policy).minimumMicros(policy)
}

/** The policy with each of its times transformed by `time`. */
export function timedPolicy(
  policy: PollingPolicy,
  time: (micros: Micros) => Micros,
): PollingPolicy {
  return { ...strategyOf(policy).timed(policy, time), ...hintOf(policy) }
}

/** The `polling` of a scenario, as an author writes it. */
export function writtenPolling(policy: PollingPolicy): PollingOption {
  return { ...strategyOf(policy).write(policy), ...hintOf(policy) }
}

function hintOf({ hint }: PollingPolicy): PollingHint {
  return hint === undefined ? {} : { hint }
}

const MOST_POLLS = 100_000

/**
 * Approximately how many polls an execution of this length costs: the policy's own intervals,
 * without any reported progress.
 */
export function pollsWithin(policy: PollingPolicy, lengthMicros: Micros, random: Random): number {
  let polls = 0
  let previousMicros = 0
  for (let elapsedMicros = 0; elapsedMicros < lengthMicros && polls < MOST_POLLS; polls++) {
    const pace = { intervals: polls, previousMicros, elapsedMicros, completedTasks: null }
    previousMicros = Math.max(1, nextIntervalMicros(policy, pace, random))
    elapsedMicros += previousMicros
  }
  return polls
}
