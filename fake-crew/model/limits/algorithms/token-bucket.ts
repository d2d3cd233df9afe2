/**
 * Token bucket: starts full, gains tokens at a rate up to its capacity, and each request takes one.
 */
import { z } from 'zod'
import type { Micros, Rate } from '../../../../src/base/units.ts'
import type { Algorithm, AlgorithmQuota } from '../algorithm.ts'
import { reducedRate } from '../reduced-rate.ts'
import { count, rate } from '../../schema/quantities.ts'
import { whole } from '../../schema/complete-form/quantities.ts'
import { defineLimiter } from '../definition.ts'
import { completeRate } from '../parameters.ts'

export interface TokenBucketState {
  /**
   * Fractions of tokens: `perMicros` of the rate make one, and each microsecond adds `count`. Whole
   * numbers, so the arithmetic is exact.
   */
  parts: number
  atMicros: Micros
}

export interface TokenBucketOptions {
  rate: Rate
  /** A whole number of tokens, from 1. */
  capacity: number
}

export class TokenBucket implements Algorithm<TokenBucketState> {
  readonly windowMicros: Micros
  readonly #capacity: number
  readonly #rate: Rate

  constructor({ rate, capacity }: TokenBucketOptions) {
    this.#rate = reducedRate(rate)
    this.#capacity = capacity
    this.windowMicros = this.#microsFor(this.#fullParts)
  }

  fresh(): TokenBucketState {
    return { parts: this.#fullParts, atMicros: 0 }
  }

  quota(state: TokenBucketState, nowMicros: Micros): AlgorithmQuota {
    const { perMicros } = this.#rate
    const parts = this.#partsAt(state, nowMicros)
    const remaining = Math.floor(parts / perMicros)
    const full = remaining === this.#capacity
    return {
      limit: this.#capacity,
      remaining,
      moreMicros: full ? null : this.#microsFor((remaining + 1) * perMicros - parts),
      fullMicros: this.#microsFor(this.#fullParts - parts),
    }
  }

  /** A counted refusal takes whatever is left. */
  count(state: TokenBucketState, nowMicros: Micros): void {
    state.parts = Math.max(0, this.#partsAt(state, nowMicros) - this.#rate.perMicros)
    state.atMicros = nowMicros
  }

  get #fullParts(): number {
    return this.#capacity * this.#rate.perMicros
  }

  #partsAt({ parts, atMicros }: TokenBucketState, nowMicros: Micros): number {
    return Math.min(this.#fullParts, parts + (nowMicros - atMicros) * this.#rate.count)
  }

  #microsFor(parts: number): Micros {
    return Math.ceil(parts / this.#rate.count)
  }
}

export const tokenBucket = defineLimiter({
  kind: 'token-bucket',
  description: 'Starts full; gains tokens at the rate up to its capacity; a request takes one.',
  written: z.strictObject({ rate, capacity: count(1) }),
  complete: z.strictObject({
    kind: z.literal('token-bucket'),
    rate: completeRate,
    capacity: whole(1),
  }),
  algorithm: (profile) => new TokenBucket(profile),
  example: { rate: '2/s', capacity: 10 },
})
