/** The list of limiters: one line each; everything else derives from it. */
import type { z } from 'zod'
import type { Algorithm } from '../algorithm.ts'
import { concurrency } from './concurrency.ts'
import { fixedWindow } from './fixed-window.ts'
import { leakyBucket } from './leaky-bucket.ts'
import type { LimiterClock, LimiterDefinition } from '../definition.ts'
import { slidingCounter } from './sliding-counter.ts'
import { slidingLog } from './sliding-log.ts'
import { tokenBucket } from './token-bucket.ts'

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

/** An algorithm with its parameters, in the complete form. */
export type AlgorithmProfile = z.output<(typeof LIMITERS)[LimiterName]['complete']>

export const LIMITER_NAMES = Object.keys(LIMITERS) as LimiterName[]

type AnyLimiter = LimiterDefinition<z.ZodType<AlgorithmProfile> & z.core.$ZodTypeDiscriminable>

export function limiterNamed(name: LimiterName): AnyLimiter {
  return LIMITERS[name]
}

export function algorithmOf(profile: AlgorithmProfile, clock: LimiterClock): Algorithm<unknown> {
  const name = LIMITER_NAMES.find((each) => LIMITERS[each].kind === profile.kind)
  return limiterNamed(name!).algorithm(profile, clock)
}
