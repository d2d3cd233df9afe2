/** Sliding log: a maximum of requests in any window, by remembering when each arrived. */
import { z } from 'zod'
import type { Micros } from '../../../../src/base/units.ts'
import type { Algorithm, AlgorithmQuota } from '../algorithm.ts'
import { lasting, whole } from '../../schema/complete-form/quantities.ts'
import { defineLimiter } from '../definition.ts'
import { limit, window } from '../parameters.ts'

/** A ring of the latest hits, never more than the limit: older ones cannot affect a decision. */
export interface SlidingLogState {
  times: Micros[]
  oldest: number
  length: number
}

export interface SlidingLogOptions {
  limit: number
  windowMicros: Micros
}

export class SlidingLog implements Algorithm<SlidingLogState> {
  readonly windowMicros: Micros
  readonly #limit: number

  constructor({ limit, windowMicros }: SlidingLogOptions) {
    this.#limit = limit
    this.windowMicros = windowMicros
  }

  fresh(): SlidingLogState {
    return { times: [], oldest: 0, length: 0 }
  }

  quota(state: SlidingLogState, nowMicros: Micros): AlgorithmQuota {
    this.#forgetOld(state, nowMicros)
    const limit = this.#limit
    const { times, oldest, length } = state
    if (length === 0) return { limit, remaining: limit, moreMicros: null, fullMicros: 0 }
    const newest = (oldest + length - 1) % limit
    return {
      limit,
      remaining: limit - length,
      moreMicros: times[oldest]! + this.windowMicros - nowMicros,
      fullMicros: times[newest]! + this.windowMicros - nowMicros,
    }
  }

  count(state: SlidingLogState, nowMicros: Micros): void {
    this.#forgetOld(state, nowMicros)
    if (state.length === this.#limit) this.#dropOldest(state)
    state.times[(state.oldest + state.length) % this.#limit] = nowMicros
    state.length++
  }

  /** A hit leaves the window when its age is exactly the window's length. */
  #forgetOld(state: SlidingLogState, nowMicros: Micros): void {
    while (state.length > 0 && state.times[state.oldest]! + this.windowMicros <= nowMicros) {
      this.#dropOldest(state)
    }
  }

  #dropOldest(state: SlidingLogState): void {
    state.oldest = (state.oldest + 1) % this.#limit
    state.length--
  }
}

export const slidingLog = defineLimiter({
  kind: 'sliding-log',
  description: 'A maximum of requests in any window, exactly.',
  written: z
    .strictObject({ limit, window })
    .transform((written) => ({ limit: written.limit, windowMicros: written.window })),
  complete: z.strictObject({
    kind: z.literal('sliding-log'),
    limit: whole(1),
    windowMicros: lasting,
  }),
  algorithm: (profile) => new SlidingLog(profile),
  example: { limit: 100, window: '1m' },
})
