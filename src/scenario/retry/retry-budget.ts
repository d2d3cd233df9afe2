/** The retry budget: how many retries a client may send, depending on its recent requests. */
import type { Micros } from '../../base/units.ts'
import type { RetryBudgetPolicy } from '../plan.ts'

/** The window advances in this many steps. */
const SLOTS = 10

/**
 * Within any window, at most `minimum + ratio * first attempts` retries are allowed, so that a
 * target in trouble never receives much more than the intended load. Unused allowance expires with
 * the window, as in Finagle's RetryBudget and unlike a count over the whole run, in which hours
 * without failures would accumulate enough for a retry storm. (Google's SRE book, chapter 22, also
 * bounds retries by a share of requests.)
 */
export class RetryBudget {
  readonly #policy: RetryBudgetPolicy
  readonly #slotMicros: Micros
  readonly #firstAttempts = Array.from({ length: SLOTS }, () => 0)
  readonly #retries = Array.from({ length: SLOTS }, () => 0)
  /** The number of the latest slot with an event. */
  #slot = 0
  #refusal: 'none' | 'new' | 'told' = 'none'

  constructor(policy: RetryBudgetPolicy) {
    this.#policy = policy
    this.#slotMicros = policy.windowMicros / SLOTS
  }

  countFirstAttempt(nowMicros: Micros): void {
    this.#firstAttempts[this.#moveTo(nowMicros)]!++
  }

  /** Takes one retry; false when the budget is spent. */
  take(nowMicros: Micros): boolean {
    const place = this.#moveTo(nowMicros)
    const { ratio, minimum } = this.#policy
    if (sum(this.#retries) + 1 > minimum + ratio * sum(this.#firstAttempts)) {
      if (this.#refusal === 'none') this.#refusal = 'new'
      return false
    }
    this.#retries[place]!++
    return true
  }

  /** True once, after the first refusal. */
  takeRefusal(): boolean {
    if (this.#refusal !== 'new') return false
    this.#refusal = 'told'
    return true
  }

  /**
   * Clears the slots that have left the window, and returns the index of the current slot. A time
   * before the latest counts as the latest.
   */
  #moveTo(nowMicros: Micros): number {
    const slot = Math.max(this.#slot, Math.floor(nowMicros / this.#slotMicros))
    const first = Math.max(this.#slot + 1, slot - SLOTS + 1)
    for (let passed = first; passed <= slot; passed++) {
      this.#firstAttempts[passed % SLOTS] = 0
      this.#retries[passed % SLOTS] = 0
    }
    this.#slot = slot
    return slot % SLOTS
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
