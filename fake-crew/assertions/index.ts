/**
 * Assertions on a client: matchers for `expect.extend` of vitest and Jest, and the same as
 * functions that throw, for every other test runner.
 */
import { formatCount } from '../../src/base/numbers.ts'
import type { AskedCrew } from './asked.ts'
import type { Breach } from './rules.ts'
import {
  kickedOffOnce,
  polledAtMost,
  polledNoSoonerThan,
  sentNothingAfter,
  stoppedPollingAtTheEnd,
  waitedForRetryAfter,
} from './rules.ts'
import type { Tolerance } from './rules.ts'
import { timelineOf } from './timeline.ts'

export type { AskedCrew, Tolerance }

/** What `expect(crew)` can do; `R` is what the runner returns. */
export interface CrewMatchers<R = void> {
  /** Exactly one execution was started: with these inputs, if any are given. */
  toHaveKickedOffOnce(inputs?: Record<string, unknown>): R
  /** No execution was polled more often. */
  toHavePolledAtMost(most: number): R
  /** From one poll of an execution to the next at least this long passed, such as `1s`. */
  toHavePolledNoSoonerThan(interval: string, options?: Tolerance): R
  /** Nothing more was asked about an execution once an answer had told its end. */
  toHaveStoppedPollingAtTheEnd(): R
  /** After an answer with Retry-After, the next request of its kind came when the wait was over. */
  toHaveWaitedForRetryAfter(options?: Tolerance): R
  /**
   * Nothing was sent later: than this long after the first kickoff, such as `20s`, or than this
   * time on the crew's clock, in milliseconds.
   */
  toHaveSentNothingAfter(when: string | number): R
}

type Rule = (crew: AskedCrew, ...args: never[]) => Breach | null

const RULES: { [Name in keyof CrewMatchers]: Rule } = {
  toHaveKickedOffOnce: kickedOffOnce,
  toHavePolledAtMost: polledAtMost,
  toHavePolledNoSoonerThan: polledNoSoonerThan,
  toHaveStoppedPollingAtTheEnd: stoppedPollingAtTheEnd,
  toHaveWaitedForRetryAfter: waitedForRetryAfter,
  toHaveSentNothingAfter: sentNothingAfter,
}

interface MatcherResult {
  pass: boolean
  message: () => string
}

type Matchers = {
  [Name in keyof CrewMatchers]: (
    crew: AskedCrew,
    ...args: Parameters<CrewMatchers[Name]>
  ) => MatcherResult
}

/** For `expect.extend(crewMatchers)`. */
export const crewMatchers = Object.fromEntries(
  Object.entries(RULES).map(([name, rule]) => [
    name,
    (crew: AskedCrew, ...args: never[]): MatcherResult => {
      const breach = breachOf(crew, rule, args)
      const message = breach?.words ?? `expect(crew).not.${name}(): it did.`
      return {
        pass: breach === null,
        message: () => `${message}\n\n${timelineOf(crew, breach?.requests ?? [])}`,
      }
    },
  ]),
) as Matchers

/** The same without a runner's `expect`: throws an Error with the timeline. */
export function expectCrew(crew: AskedCrew): CrewMatchers {
  return Object.fromEntries(
    Object.entries(crewMatchers).map(([name, matcher]) => [
      name,
      (...args: never[]): void => {
        const { pass, message } = (matcher as (...all: unknown[]) => MatcherResult)(crew, ...args)
        if (!pass) throw new Error(message())
      },
    ]),
  ) as unknown as CrewMatchers
}

/** A client that sent nothing, or whose requests are not all kept, keeps no rule for certain. */
function breachOf(crew: AskedCrew, rule: Rule, args: never[]): Breach | null {
  const { requestsDropped } = crew
  if (requestsDropped > 0) {
    const words = `The first ${formatCount(requestsDropped)} requests are no longer kept.`
    return { words, requests: [] }
  }
  const breach = rule(crew, ...args)
  if (breach !== null || crew.requests().length > 0) return breach
  return { words: 'The client sent no request.', requests: [] }
}
