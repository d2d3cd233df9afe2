/**
 * When to poll again: every polling strategy as pure functions of what the client has observed, and
 * how an author writes it. `NAME.schema.ts` beside this file says how that is checked, because the
 * engine also runs inside k6, whose bundle must not contain zod.
 */
import type { Random } from '../../base/random.ts'
import type { Micros, Duration } from '../../base/units.ts'
import { durationText } from '../../base/units.ts'
import { backoffMicros } from '../backoff.ts'
import type { Jitter } from '../backoff.ts'
import { assert } from '../../base/assert.ts'

/** The information on which a strategy may base its intervals. */
export interface PollingPace {
  /** The number of intervals so far; 0 before the first poll. */
  intervals: number
  /** The previous interval; 0 before the first. */
  previousMicros: Micros
  /** The time since the kickoff was accepted. */
  elapsedMicros: Micros
  /** As last reported by the target; null when it does not report it. */
  completedTasks: number | null
}

interface PollingStrategy<P> {
  /** The next interval. Only jitter draws from `random`, the execution's own stream. */
  nextMicros(policy: P, pace: PollingPace, random: Random): Micros
  /** The policy with each of its times transformed by `time`: how a time-lapse shortens it. */
  timed(policy: P, time: (micros: Micros) => Micros): P
  /** The option as an author writes it, from which its check reads the same policy. */
  write(policy: P): StrategyOption
}

export interface FixedPolling {
  kind: 'fixed'
  everyMicros: Micros
  initialDelayMicros: Micros
}

/** The option as an author writes it. */
interface FixedOption {
  /** The constant interval, 1 ms or more. */
  fixed: Duration
  /** The interval before the first poll, for crews that never finish early. Default: as `fixed`. */
  initialDelay?: Duration
}

const fixed: PollingStrategy<FixedPolling> = {
  nextMicros: (policy, { intervals }) =>
    intervals === 0 ? policy.initialDelayMicros : policy.everyMicros,
  timed: (policy, time) => ({
    ...policy,
    everyMicros: time(policy.everyMicros),
    initialDelayMicros: time(policy.initialDelayMicros),
  }),
  write: ({ everyMicros, initialDelayMicros }) => ({
    fixed: durationText(everyMicros),
    ...(initialDelayMicros === everyMicros
      ? {}
      : { initialDelay: durationText(initialDelayMicros) }),
  }),
}

export interface ExponentialPolling {
  kind: 'exponential'
  initialMicros: Micros
  factor: number
  maxMicros: Micros
  jitter: Jitter
}

/** The option as an author writes it: growing intervals. */
interface ExponentialOption {
  exponential: {
    /** The first interval, 1 ms or more. */
    initial: Duration
    /** Each interval is the previous one times this factor, 1 to 10. Default: 1.5. */
    factor?: number
    /** The longest interval; at least `initial`. */
    max: Duration
    /**
     * Keeps clients from polling in step. Default: `'equal'`: half of the interval is fixed, half
     * is random.
     */
    jitter?: Jitter
  }
}

const exponential: PollingStrategy<ExponentialPolling> = {
  nextMicros: (policy, { intervals, previousMicros }, random) =>
    backoffMicros(policy, intervals, previousMicros, random),
  timed: (policy, time) => ({
    ...policy,
    initialMicros: time(policy.initialMicros),
    maxMicros: time(policy.maxMicros),
  }),
  write: ({ initialMicros, factor, maxMicros, jitter }) => ({
    exponential: {
      initial: durationText(initialMicros),
      factor,
      max: durationText(maxMicros),
      jitter,
    },
  }),
}

export interface SchedulePolling {
  kind: 'schedule'
  /** The intervals in turn; at least one. */
  intervalsMicros: readonly Micros[]
}

/** The option as an author writes it. */
interface ScheduleOption {
  /** These intervals in order, 1 to 1,000; the last repeats. */
  schedule: readonly Duration[]
}

const schedule: PollingStrategy<SchedulePolling> = {
  nextMicros: ({ intervalsMicros }, { intervals }) => {
    const interval = intervalsMicros[Math.min(intervals, intervalsMicros.length - 1)]
    assert(interval !== undefined, 'a polling schedule has at least one interval')
    return interval
  },
  timed: (policy, time) => ({
    ...policy,
    intervalsMicros: policy.intervalsMicros.map((micros) => time(micros)),
  }),
  write: ({ intervalsMicros }) => ({ schedule: intervalsMicros.map(durationText) }),
}

export interface ProgressPolling {
  kind: 'progress'
  minMicros: Micros
  maxMicros: Micros
  pollsPerTask: number
}

/** The option as an author writes it. */
interface ProgressOption {
  /** Adapts to the duration of the tasks completed so far, within the bounds. */
  progress: {
    min: Duration
    max: Duration
    /** The approximate number of polls while one task runs; 0.1 to 1,000. Default: 4. */
    pollsPerTask?: number
  }
}

const progress: PollingStrategy<ProgressPolling> = {
  nextMicros: ({ minMicros, maxMicros, pollsPerTask }, pace) => {
    const wanted = Math.round(taskEstimateMicros(pace) / pollsPerTask)
    return Math.max(minMicros, Math.min(maxMicros, wanted))
  },
  timed: (policy, time) => ({
    ...policy,
    minMicros: time(policy.minMicros),
    maxMicros: time(policy.maxMicros),
  }),
  write: ({ minMicros, maxMicros, pollsPerTask }) => ({
    progress: { min: durationText(minMicros), max: durationText(maxMicros), pollsPerTask },
  }),
}

/**
 * The mean duration of the tasks completed so far; before the first one (or without counters) the
 * elapsed time, so that intervals grow with it.
 */
function taskEstimateMicros({ elapsedMicros, completedTasks }: PollingPace): Micros {
  return elapsedMicros / Math.max(1, completedTasks ?? 0)
}

/** Every strategy, by its kind in a plan and the key that an author writes. */
const STRATEGIES = { fixed, exponential, schedule, progress }

type StrategyPolicy = FixedPolling | ExponentialPolling | SchedulePolling | ProgressPolling
type StrategyOption = FixedOption | ExponentialOption | ScheduleOption | ProgressOption

/**
 * What a client makes of a `Retry-After` beside an answer that refuses nothing: it polls at its own
 * interval (the default), or waits as long as that asks for.
 */
export interface PollingHint {
  hint?: 'obey'
}

export type PollingPolicy = StrategyPolicy & PollingHint

/** The polling as an author writes it. */
export type PollingOption = StrategyOption & {
  /**
   * Whether to wait as long as a `Retry-After` asks for beside an answer that refuses nothing and
   * whose quota is not used up. Default: `'ignore'`, which polls at the scenario's own interval.
   */
  hint?: 'obey' | 'ignore'
}

/** Looks up the strategy by the policy's kind; the type of the table guarantees that they match. */
function strategyOf(policy: PollingPolicy): PollingStrategy<PollingPolicy> {
  return STRATEGIES[policy.kind]
}

/**
 * The next interval in integer microseconds, from the last byte of the previous answer (for the
 * first poll: of the kickoff's answer). `random` is the execution's own stream; only jitter draws
 * from it.
 */
export function nextIntervalMicros(
  policy: PollingPolicy,
  pace: PollingPace,
  random: Random,
): Micros {
  return strategyOf(policy).nextMicros(policy, pace, random)
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
