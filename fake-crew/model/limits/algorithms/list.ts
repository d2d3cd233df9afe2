/** The list of limiters: one line each; everything else derives from it. */
import type { z } from 'zod'
import type { Algorithm, LimiterClock, LimiterDefinition } from '../definition.ts'
import { leakyBucket, tokenBucket } from './buckets.ts'
import { concurrency } from './concurrency.ts'
import { fixedWindow } from './fixed-window.ts'
import { slidingCounter, slidingLog } from './sliding-window.ts'

/**
 * Every limiter by the key that a profile uses, in the order in which messages and tables list
 * them.
 */
export const LIMITERS = {
  tokenBucket,
  leakyBucket,
  fixedWindow,
  slidingLog,
  slidingCounter,
  concurrency,
}

export type LimiterName = keyof typeof LIMITERS

/** The parameters of a limiter as a profile's author writes them. */
type WrittenLimiter<Name extends LimiterName> = (typeof LIMITERS)[Name]['written']

/** An algorithm with its parameters. */
export type AlgorithmProfile = {
  [Name in LimiterName]: { kind: (typeof LIMITERS)[Name]['kind'] } & z.output<WrittenLimiter<Name>>
}[LimiterName]

export const LIMITER_NAMES = Object.keys(LIMITERS) as LimiterName[]

/** `algorithm` accepts a profile of the limiter's own kind. */
type AnyLimiter = Omit<
  LimiterDefinition<AlgorithmProfile['kind'], z.ZodType<object>>,
  'algorithm'
> & {
  algorithm(profile: AlgorithmProfile, clock: LimiterClock): Algorithm<unknown>
}

export function limiterNamed(name: LimiterName): AnyLimiter {
  return LIMITERS[name]
}

export function algorithmOf(profile: AlgorithmProfile, clock: LimiterClock): Algorithm<unknown> {
  const name = LIMITER_NAMES.find((each) => LIMITERS[each].kind === profile.kind)
  return limiterNamed(name!).algorithm(profile, clock)
}
