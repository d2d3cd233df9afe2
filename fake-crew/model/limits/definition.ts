/**
 * Defines what a limiter is: the file of each algorithm in `algorithms` gives one definition, and
 * `algorithms/list.ts` names it.
 */
import type { z } from 'zod'
import type { Algorithm } from './algorithm.ts'

/** What calendar windows need to know. */
export interface LimiterClock {
  /** Wall clock at the model's time zero, Unix milliseconds. */
  anchorUnixMs: number
}

export interface LimiterDefinition<
  Complete extends z.ZodType<{ kind: string }> & z.core.$ZodTypeDiscriminable,
> {
  /** The name of the kind in the complete form. */
  readonly kind: z.output<Complete>['kind']
  /** One sentence for editors and for the docs. */
  readonly description: string
  /** The parameters as a profile's author writes them, parsed into the complete form. */
  readonly written: z.ZodType<Omit<z.output<Complete>, 'kind'>>
  /**
   * The parameters in the complete form of a profile; the type is inferred from this schema.
   * Windows are in the crew's time.
   */
  readonly complete: Complete
  algorithm(profile: z.output<Complete>, clock: LimiterClock): Algorithm<unknown>
  /** The parameters, as a profile's author writes them. */
  readonly example: unknown
}

export function defineLimiter<
  Complete extends z.ZodType<{ kind: string }> & z.core.$ZodTypeDiscriminable,
>(definition: LimiterDefinition<Complete>): LimiterDefinition<Complete> {
  return definition
}
