/** Sliding windows: a maximum of requests in any window, exactly or by two counts. */
import { z } from 'zod'
import type { Micros } from '../../../../src/base/units.ts'
import { lasting, oneOf } from '../../schema/quantities.ts'
import type { Algorithm, AlgorithmQuota } from '../definition.ts'
import { defineLimiter } from '../definition.ts'
import { limit, phaseOf } from './fixed-window.ts'

/** A ring of the latest hits, never more than the limit: older ones cannot affect a decision. */
interface SlidingLogState {
  times: Micros[]
  oldest: number
  length: number
}

/** Remembers when each request arrived. */
class SlidingLog implements Algorithm<SlidingLogState> {
  readonly windowMicros: Micros
  readonly #limit: number

  constructor({ limit, windowMicros }: { limit: number; windowMicros: Micros }) {
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
    .strictObject({ limit, window: lasting })
    .transform((written) => ({ limit: written.limit, windowMicros: written.window })),
  algorithm: (profile) => new SlidingLog(profile),
  example: { limit: 100, window: '1m' },
})

interface SlidingCounterState {
  /** The number of the calendar window that `current` counts. */
  window: number
  current: number
  previous: number
}

interface SlidingCounterOptions {
  limit: number
  windowMicros: Micros
  /** Whether the estimate is compared as it is (default), or rounded down to a whole number. */
  estimate?: (typeof ESTIMATES)[number]
  /** The time from the beginning of a calendar window to the model's time zero. */
  phaseMicros: Micros
}

const ESTIMATES = ['exact', 'rounded down'] as const

/**
 * Approximates a sliding log with two counts. The previous calendar window is
 * weighted by how much of it a window that ends now would still cover: estimate = previous * (1 -
 * elapsed / window) + current. A request is admitted if the estimate including it stays within the
 * limit; one that is rounded down first, as limits for Python does, lets it in a little earlier.
 */
class SlidingCounter implements Algorithm<SlidingCounterState> {
  readonly windowMicros: Micros
  readonly #limit: number
  readonly #isRoundedDown: boolean
  readonly #phaseMicros: Micros

  constructor({ limit, windowMicros, estimate, phaseMicros }: SlidingCounterOptions) {
    this.#limit = limit
    this.#isRoundedDown = estimate === 'rounded down'
    this.windowMicros = windowMicros
    this.#phaseMicros = phaseMicros
  }

  fresh(): SlidingCounterState {
    return { window: -Infinity, current: 0, previous: 0 }
  }

  quota(state: SlidingCounterState, nowMicros: Micros): AlgorithmQuota {
    const limit = this.#limit
    const leftMicros = this.#turnTo(state, nowMicros)
    const { previous, current } = state
    /** The estimate times the window: whole numbers, so the arithmetic is exact. */
    const weighed = previous * leftMicros + current * this.windowMicros
    const free = limit * this.windowMicros - weighed
    const round = this.#isRoundedDown ? Math.ceil : Math.floor
    const remaining = Math.max(0, round(free / this.windowMicros))
    const used = limit - remaining
    return {
      limit,
      remaining,
      moreMicros: used === 0 ? null : Math.ceil(this.#microsUntilMore(used, state, leftMicros)),
      fullMicros: Math.ceil(this.#microsUntil(0, state, leftMicros)),
    }
  }

  count(state: SlidingCounterState, nowMicros: Micros): void {
    this.#turnTo(state, nowMicros)
    state.current++
  }

  /** Advances to the window of this time and returns how much of it is left. */
  #turnTo(state: SlidingCounterState, nowMicros: Micros): Micros {
    const micros = nowMicros + this.#phaseMicros
    const window = Math.floor(micros / this.windowMicros)
    if (window !== state.window) {
      state.previous = window === state.window + 1 ? state.current : 0
      state.current = 0
      state.window = window
    }
    return (window + 1) * this.windowMicros - micros
  }

  /** An estimate that is rounded down has to fall below the number of requests used. */
  #microsUntilMore(used: number, state: SlidingCounterState, leftMicros: Micros): number {
    if (!this.#isRoundedDown) return this.#microsUntil(used - 1, state, leftMicros)
    // What this window counts weighs in full until it ends.
    if (state.current === used) return leftMicros + 1
    return Math.floor(this.#microsUntil(used, state, leftMicros)) + 1
  }

  /**
   * Time until the estimate has fallen to `estimate`, not rounded: linear in this window, and
   * linear with another slope in the next.
   */
  #microsUntil(
    estimate: number,
    { previous, current }: SlidingCounterState,
    leftMicros: Micros,
  ): number {
    const { windowMicros } = this
    if (current <= estimate) {
      if (previous === 0) return 0
      const above = previous * leftMicros + (current - estimate) * windowMicros
      return Math.max(0, above / previous)
    }
    const above = current * leftMicros + (current - estimate) * windowMicros
    return above / current
  }
}

export const slidingCounter = defineLimiter({
  kind: 'sliding-counter',
  description: 'A maximum in any window, estimated from the counts of two calendar windows.',
  written: z
    .strictObject({
      limit,
      window: lasting,
      estimate: oneOf(ESTIMATES)
        .prefault('exact')
        .meta({ description: 'Whether fractions of a request count, or are dropped first.' }),
    })
    .transform(({ limit: most, window: windowMicros, estimate }) => ({
      limit: most,
      windowMicros,
      estimate,
    })),
  algorithm: (profile, clock) =>
    new SlidingCounter({ ...profile, phaseMicros: phaseOf(profile.windowMicros, clock) }),
  example: { limit: 100, window: '1m' },
})
