/**
 * The cost of a refusal: nothing, a count like any other request, or a time in which everything is
 * refused.
 */
import type { Micros } from '../../../src/base/units.ts'
import type { Algorithm, Quota } from './algorithm.ts'

export interface PenaltyOptions {
  /** Refused requests count; during a block, each restarts it. */
  rejected: 'free' | 'counted'
  /** After an excess, everything is refused for this long; 0 for no block. */
  blockMicros: Micros
}

export interface PenaltyState<State> {
  readonly counted: State
  blockedUntilMicros: Micros
}

export class Penalty<State> {
  readonly algorithm: Algorithm<State>
  readonly #options: PenaltyOptions

  constructor(algorithm: Algorithm<State>, options: PenaltyOptions) {
    this.algorithm = algorithm
    this.#options = options
  }

  fresh(): PenaltyState<State> {
    return { counted: this.algorithm.fresh(), blockedUntilMicros: -Infinity }
  }

  quota({ counted, blockedUntilMicros }: PenaltyState<State>, nowMicros: Micros): Quota {
    const quota = this.algorithm.quota(counted, nowMicros)
    const blockedMicros = blockedUntilMicros - nowMicros
    if (blockedMicros <= 0) return quota
    const { limit, remaining, moreMicros, fullMicros } = quota
    return {
      limit,
      remaining: 0,
      moreMicros: remaining > 0 ? blockedMicros : noSooner(moreMicros, blockedMicros),
      fullMicros: noSooner(fullMicros, blockedMicros),
    }
  }

  /** A request was admitted. */
  admit({ counted }: PenaltyState<State>, nowMicros: Micros): void {
    this.algorithm.count(counted, nowMicros)
  }

  /**
   * A request was refused, by this limit or another. Returns whether the algorithm has counted it.
   */
  refuse(state: PenaltyState<State>, nowMicros: Micros): boolean {
    const { rejected, blockMicros } = this.#options
    const counts = rejected === 'counted'
    const blocked = nowMicros < state.blockedUntilMicros
    if (blocked ? counts : this.quota(state, nowMicros).remaining === 0) {
      state.blockedUntilMicros = nowMicros + blockMicros
    }
    if (!counts || blocked) return false
    this.algorithm.count(state.counted, nowMicros)
    return true
  }
}

function noSooner(micros: Micros | null, leastMicros: Micros): Micros | null {
  return micros === null ? null : Math.max(micros, leastMicros)
}
