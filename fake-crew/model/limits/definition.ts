/**
 * Defines what a limiter is: its parameters, the state that its algorithm keeps per key, how it
 * counts, and what is left at a given time. Its file in `algorithms` gives one definition, and
 * `algorithms/list.ts` names it.
 */
import type { z } from 'zod'
import { keyOf } from '../schema/kinds.ts'
import type { Micros } from '../../../src/base/units.ts'

/** What a key may still request if nothing else arrives. */
export interface AlgorithmQuota {
  /** The most requests that can be admitted at once. */
  limit: number
  /** Requests that would be admitted at once now; above 0, the next one is admitted. */
  remaining: number
  /** Time until `remaining` grows; null if it cannot, or if it does not depend on time alone. */
  moreMicros: Micros | null
  /**
   * Time until all of `limit` is available again; 0 if it is, null if it does not depend on time
   * alone.
   */
  fullMicros: Micros | null
}

/**
 * Times are the crew's own, in microseconds since the model's time zero, and never decrease. A
 * method reads the state and the time that it is given and changes nothing but that state.
 */
export interface Algorithm<State> {
  /** The time over which `limit` is granted, microseconds; null if it does not depend on time. */
  readonly windowMicros: Micros | null
  /** The initial state of a new key. A state with a full quota is equivalent to it. */
  fresh(): State
  quota(state: State, nowMicros: Micros): AlgorithmQuota
  count(state: State, nowMicros: Micros): void
  /**
   * Returns how long a request admitted now is held back before it is served. Without this method,
   * it is not held back.
   */
  holdMicros?(state: State, nowMicros: Micros): Micros
  /** The answer to a counted request has been sent; without this method, nothing happens then. */
  release?(state: State): void
}

/** What calendar windows need to know. */
export interface LimiterClock {
  /** Wall clock at the model's time zero, Unix milliseconds. */
  anchorUnixMs: number
}

export interface LimiterDefinition<Kind extends string, Written extends z.ZodType<object>> {
  /** The name of the kind in a parsed profile. */
  readonly kind: Kind
  /** One sentence for editors and for the docs. */
  readonly description: string
  /**
   * The parameters as a profile's author writes them; the type is inferred from it. Windows are in
   * the crew's time.
   */
  readonly written: Written
  algorithm(profile: { kind: Kind } & z.output<Written>, clock: LimiterClock): Algorithm<unknown>
  /** The parameters, as a profile's author writes them. */
  readonly example: unknown
}

export function defineLimiter<const Kind extends string, Written extends z.ZodType<object>>(
  definition: LimiterDefinition<Kind, Written>,
): LimiterDefinition<Kind, Written> & { key: ReturnType<typeof keyOf<Kind, Written>> } {
  return { ...definition, key: keyOf(definition) }
}
