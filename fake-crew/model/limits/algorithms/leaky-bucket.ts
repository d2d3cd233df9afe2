/**
 * Leaky bucket as the generic cell rate algorithm (GCRA): requests leave at a rate, and `burst` of
 * them may be ahead of it. It is equivalent to a token bucket of `burst + 1`, but it can also hold
 * each request back until its turn, as nginx does.
 */
import { z } from 'zod'
import type { Micros, Rate } from '../../../../src/base/units.ts'
import type { Algorithm, AlgorithmQuota } from '../algorithm.ts'
import type { TokenBucketState } from './token-bucket.ts'
import { TokenBucket } from './token-bucket.ts'
import { count, oneOf, rate } from '../../schema/quantities.ts'
import { whole } from '../../schema/complete-form/quantities.ts'
import { defineLimiter } from '../definition.ts'
import { completeRate } from '../parameters.ts'

export interface LeakyBucketOptions {
  rate: Rate
  /** A whole number of requests, from 0. */
  burst: number
  /**
   * Requests ahead of the rate are served at once, or in turn. Beyond the burst, they are refused
   * in either mode.
   */
  excess: 'at once' | 'delayed'
}

export class LeakyBucket implements Algorithm<TokenBucketState> {
  readonly windowMicros: Micros
  readonly #room: TokenBucket
  readonly #delays: boolean

  constructor({ rate, burst, excess }: LeakyBucketOptions) {
    this.#room = new TokenBucket({ rate, capacity: burst + 1 })
    this.#delays = excess === 'delayed'
    this.windowMicros = this.#room.windowMicros
  }

  fresh(): TokenBucketState {
    return this.#room.fresh()
  }

  quota(state: TokenBucketState, nowMicros: Micros): AlgorithmQuota {
    return this.#room.quota(state, nowMicros)
  }

  count(state: TokenBucketState, nowMicros: Micros): void {
    this.#room.count(state, nowMicros)
  }

  /** A request's turn comes when all earlier ones have leaked out. */
  holdMicros(state: TokenBucketState, nowMicros: Micros): Micros {
    return this.#delays ? (this.#room.quota(state, nowMicros).fullMicros ?? 0) : 0
  }
}

const EXCESS = ['at once', 'delayed'] as const

export const leakyBucket = defineLimiter({
  kind: 'leaky-bucket',
  description: 'Requests leave at the rate (GCRA); a request beyond the burst is refused.',
  written: z.strictObject({
    rate,
    burst: count(0).prefault(0).meta({ description: 'Requests that may be ahead of the rate.' }),
    excess: oneOf(EXCESS)
      .prefault('at once')
      .meta({ description: 'When requests ahead of the rate are served: at once, or in turn.' }),
  }),
  complete: z.strictObject({
    kind: z.literal('leaky-bucket'),
    rate: completeRate,
    burst: whole(0),
    excess: oneOf(EXCESS),
  }),
  algorithm: (profile) => new LeakyBucket(profile),
  example: { rate: '10/s', burst: 20, excess: 'delayed' },
})
