/**
 * What a limiter is: each algorithm's file says all of this; the list in `limiters.ts` names it.
 */
import type { z } from 'zod'
import type { Algorithm } from './algorithm.ts'

/** What windows that follow the calendar need to know. */
export interface LimiterClock {
  /** The crew's seconds in one of wall time. */
  speed: number
  /** Wall clock at the model's zero, Unix milliseconds. */
  anchorUnixMs: number
}

export interface LimiterDefinition<
  Complete extends z.ZodType<{ kind: string }> & z.core.$ZodTypeDiscriminable,
> {
  /** Its name in the complete form. */
  readonly kind: z.output<Complete>['kind']
  /** For editors and for the docs. */
  readonly description: string
  /** The parameters as a profile's author writes them, read into the complete form. */
  readonly written: z.ZodType<Omit<z.output<Complete>, 'kind'>>
  /**
   * In the complete form of a profile; the type is inferred from it. Windows are in the crew's
   * time.
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
