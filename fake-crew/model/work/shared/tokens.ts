/** A quota of tokens a minute that the calls of all executions share. */
import { z } from 'zod'
import type { Distribution } from '../../../../src/base/distribution.ts'
import { draw } from '../../../../src/base/distribution.ts'
import type { Micros } from '../../../../src/base/units.ts'
import type { Random } from '../../../../src/base/random.ts'
import {
  distribution as completeDistribution,
  whole,
} from '../../schema/complete-form/quantities.ts'
import { numberFrom } from '../../schema/complete-form/quantities.ts'
import { distribution } from '../../schema/distribution.ts'
import { count, oneOf } from '../../schema/quantities.ts'
import type { Allowance } from './allowance.ts'
import { SteadyAllowance } from './allowance.ts'
import type { WhenRefused } from './quota.ts'
import { WHEN_REFUSED, whenWritten } from './quota.ts'

export interface TokensProfile {
  perMinute: number
  /** Tokens of one call. */
  perCall: Distribution
  when: WhenRefused
}

export const tokensWritten = z
  .strictObject({
    perMinute: count(1).meta({
      description: 'Tokens that all calls together may use; a minute of them is there at first.',
    }),
    perCall: distribution(count(0), 'a number of tokens').meta({
      description: 'Tokens of each call; a task makes as many as the quota says, else one.',
    }),
    when: whenWritten,
  })
  .meta({ description: 'Tokens of a language model that all executions share.' })

export const tokensComplete: z.ZodType<TokensProfile> = z.strictObject({
  perMinute: whole(1),
  perCall: completeDistribution(numberFrom(0, 'tokens, from 0')),
  when: oneOf(WHEN_REFUSED),
})

export function tokensAllowance({ perMinute }: TokensProfile, minuteMicros: Micros): Allowance {
  return new SteadyAllowance({ amount: perMinute, perMicros: minuteMicros, burst: perMinute })
}

export function drawTokens({ perCall }: TokensProfile, random: Random): number {
  return Math.max(0, Math.round(draw(perCall, random)))
}
