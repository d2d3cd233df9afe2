/** A quota of the language model that all executions share: how many calls it allows in a time. */
import { z } from 'zod'
import type { Rate } from '../../../../src/base/units.ts'
import { completeRate } from '../../limits/parameters.ts'
import { whole } from '../../schema/complete-form/quantities.ts'
import { count, oneOf, rate } from '../../schema/quantities.ts'
import type { Allowance } from './allowance.ts'
import { SteadyAllowance, WindowAllowance } from './allowance.ts'

/** What a call does that the provider does not let through. */
export const WHEN_REFUSED = ['wait', 'retry', 'fail'] as const
export type WhenRefused = (typeof WHEN_REFUSED)[number]

export interface QuotaProfile {
  calls: Rate
  refill: 'steady' | 'window'
  /** The calls that pass at once after a pause; without meaning for windows. */
  burst: number
  /** The calls of each task, spread evenly over its time. */
  perTask: number
  when: WhenRefused
}

export const whenWritten = oneOf(WHEN_REFUSED)
  .prefault('wait')
  .meta({
    description:
      'What a call does that is not let through: wait (calls pass in the order of asking), retry ' +
      '(again after 1 s, 2 s, ... up to 30 s, each shortened by up to a half at random), or fail ' +
      '(and the task with it).',
  })

export const quotaWritten = z
  .strictObject({
    calls: rate.meta({ description: 'Calls that all executions together may make: 240/m.' }),
    refill: oneOf(['steady', 'window'])
      .prefault('steady')
      .meta({ description: 'Steadily, or all at once at the end of each time of the rate.' }),
    burst: count(1).prefault(1).meta({
      description: 'Calls that pass at once after a pause, for a steady refill.',
    }),
    perTask: count(1).prefault(1).meta({
      description: 'Calls of each task, spread evenly over its time.',
    }),
    when: whenWritten,
  })
  .meta({ description: 'Calls of a language model that all executions share.' })

export const quotaComplete: z.ZodType<QuotaProfile> = z.strictObject({
  calls: completeRate,
  refill: oneOf(['steady', 'window']),
  burst: whole(1),
  perTask: whole(1),
  when: oneOf(WHEN_REFUSED),
})

export function quotaAllowance({ calls, refill, burst }: QuotaProfile): Allowance {
  const { count: amount, perMicros } = calls
  return refill === 'window'
    ? new WindowAllowance({ amount, perMicros })
    : new SteadyAllowance({ amount, perMicros, burst })
}
