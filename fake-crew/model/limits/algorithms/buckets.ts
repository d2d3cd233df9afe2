/** Buckets: requests pass at a rate, and a number of them ahead of it. */
import { z } from 'zod'
import type { Micros, Rate } from '../../../../src/base/units.ts'
import { count, oneOf, rate } from '../../schema/quantities.ts'
import type { Algorithm, AlgorithmQuota } from '../definition.ts'
import { defineLimiter } from '../definition.ts'

interface TokenBucketState {
  /**
   * Fractions of tokens: `perMicros` of the rate make one, and each microsecond adds `count`. Whole
   * numbers, so the arithmetic is exact.
   */
  parts: number
  atMicros: Micros
}

/** Starts full, gains tokens at a rate up to its capacity, and each request takes one. */
class TokenBucket implements Algorithm<TokenBucketState> {
  readonly windowMicros: Micros
  readonly #capacity: number
  readonly #rate: Rate

  /** `capacity`: a whole number of tokens, from 1. */
  constructor({ rate, capacity }: { rate: Rate; capacity: number }) {
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
  algorithm: (profile) => new TokenBucket(profile),
  example: { rate: '2/s', capacity: 10 },
})

/**
 * A rate in the smallest whole numbers, so that buckets compute exactly: `0.5/s` is 1 in 2,000,000
 * us, `600/m` is 1 in 100,000 us. The count is above 0, with or without a decimal fraction.
 */
function reducedRate({ count, perMicros }: Rate): Rate {
  const [, decimals = ''] = String(count).split('.')
  const scale = 10 ** decimals.length
  const whole = Math.round(count * scale)
  const divisor = greatestCommonDivisor(whole, perMicros * scale)
  return { count: whole / divisor, perMicros: (perMicros * scale) / divisor }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}

const leaky = z.strictObject({
  rate,
  burst: count(0).prefault(0).meta({ description: 'Requests that may be ahead of the rate.' }),
  excess: oneOf(['at once', 'delayed'])
    .prefault('at once')
    .meta({ description: 'When requests ahead of the rate are served: at once, or in turn.' }),
})

/**
 * The generic cell rate algorithm (GCRA): requests leave at a rate, and `burst` of them may be
 * ahead of it. It is equivalent to a token bucket of `burst + 1`, but it can also hold each request
 * back until its turn, as nginx does.
 */
class LeakyBucket implements Algorithm<TokenBucketState> {
  readonly windowMicros: Micros
  readonly #room: TokenBucket
  readonly #delays: boolean

  constructor({ rate, burst, excess }: z.output<typeof leaky>) {
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

export const leakyBucket = defineLimiter({
  kind: 'leaky-bucket',
  description: 'Requests leave at the rate (GCRA); a request beyond the burst is refused.',
  written: leaky,
  algorithm: (profile) => new LeakyBucket(profile),
  example: { rate: '10/s', burst: 20, excess: 'delayed' },
})
