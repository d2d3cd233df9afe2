/**
 * One limit of a profile: the quotas of its keys, each created on first use and dropped when it is
 * full again.
 */
import type { Operation } from '../../../src/crew/answer.ts'
import type { Micros } from '../../../src/base/units.ts'
import type { Algorithm, AlgorithmQuota } from './definition.ts'
import type { LimitProfile } from './profile.ts'
import { pathOf } from '../route.ts'

/**
 * The client that asks, and what it asks for: they decide which quota a request uses.
 */
export interface Asker {
  operation: Operation
  path: string
  token: string
  address: string
}

/**
 * This many states may accumulate before a sweep; each sweep sets the next bound to twice the
 * number still needed.
 */
const LEAST_SWEEP = 64

export class RuleQuotas {
  readonly profile: LimitProfile
  readonly #penalty: Penalty
  readonly #states = new Map<string, PenaltyState>()
  #sweepAt = LEAST_SWEEP

  constructor(profile: LimitProfile, algorithm: Algorithm<unknown>) {
    this.profile = profile
    this.#penalty = new Penalty(algorithm, profile)
  }

  /** Number of quotas in memory. */
  get size(): number {
    return this.#states.size
  }

  meet(asker: Asker, nowMicros: Micros): LimitedRequest {
    const state = this.#stateOf(this.#key(asker), nowMicros)
    return new LimitedRequest(this.profile, this.#penalty, state)
  }

  #key({ operation, path, token, address }: Asker): string {
    const { per, quota } = this.profile
    const whom = per === 'token' ? token : per === 'address' ? address : ''
    if (quota === 'shared') return whom
    return `${quota === 'each' ? operation : pathOf(path)} ${whom}`
  }

  #stateOf(key: string, nowMicros: Micros): PenaltyState {
    const known = this.#states.get(key)
    if (known !== undefined) return known
    if (this.#states.size >= this.#sweepAt) this.#forgetWhole(nowMicros)
    const state = this.#penalty.fresh()
    this.#states.set(key, state)
    return state
  }

  #forgetWhole(nowMicros: Micros): void {
    for (const [key, state] of this.#states) {
      const { fullMicros } = this.#penalty.quota(state, nowMicros)
      if (fullMicros === 0) this.#states.delete(key)
    }
    this.#sweepAt = Math.max(LEAST_SWEEP, 2 * this.#states.size)
  }
}

/** One request at one limit. Times are wall times since the model's zero. */
export class LimitedRequest {
  readonly profile: LimitProfile
  readonly #penalty: Penalty
  readonly #state: PenaltyState

  constructor(profile: LimitProfile, penalty: Penalty, state: PenaltyState) {
    this.profile = profile
    this.#penalty = penalty
    this.#state = state
  }

  /** The window, as `Algorithm` defines it. */
  get windowMicros(): Micros | null {
    return this.#penalty.algorithm.windowMicros
  }

  quota(nowMicros: Micros): AlgorithmQuota {
    return this.#penalty.quota(this.#state, nowMicros)
  }

  holdMicros(nowMicros: Micros): Micros {
    const { algorithm } = this.#penalty
    return Math.ceil(algorithm.holdMicros?.(this.#state.counted, nowMicros) ?? 0)
  }

  /**
   * The request has passed all limits, or one has refused it. Returns whether this limit needs to
   * know when its answer has been sent.
   */
  settle(admitted: boolean, nowMicros: Micros): boolean {
    if (!admitted) return this.#penalty.refuse(this.#state, nowMicros) && this.#hasRelease
    this.#penalty.admit(this.#state, nowMicros)
    return this.#hasRelease
  }

  release(): void {
    this.#penalty.algorithm.release?.(this.#state.counted)
  }

  get #hasRelease(): boolean {
    return this.#penalty.algorithm.release !== undefined
  }
}

export interface PenaltyState {
  readonly counted: unknown
  blockedUntilMicros: Micros
}

/**
 * The cost of a refusal: nothing, a count like any other request, or a time in which everything is
 * refused.
 */
export class Penalty {
  readonly algorithm: Algorithm<unknown>
  readonly #options: Pick<LimitProfile, 'rejected' | 'blockMicros'>

  constructor(
    algorithm: Algorithm<unknown>,
    options: Pick<LimitProfile, 'rejected' | 'blockMicros'>,
  ) {
    this.algorithm = algorithm
    this.#options = options
  }

  fresh(): PenaltyState {
    return { counted: this.algorithm.fresh(), blockedUntilMicros: -Infinity }
  }

  quota({ counted, blockedUntilMicros }: PenaltyState, nowMicros: Micros): AlgorithmQuota {
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
  admit({ counted }: PenaltyState, nowMicros: Micros): void {
    this.algorithm.count(counted, nowMicros)
  }

  /**
   * A request was refused, by this limit or another. Returns whether the algorithm has counted it.
   */
  refuse(state: PenaltyState, nowMicros: Micros): boolean {
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
