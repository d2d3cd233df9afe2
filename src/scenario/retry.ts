/** Which answers are retried, and how many retries a client may send. */
import type { Answer, Operation } from '../crew/answer.ts'
import { CONNECT_FAILURES } from '../crew/answer.ts'
import type { RetryPolicy, RetryBudgetPolicy } from './plan.ts'
import type { Micros } from '../base/units.ts'

const STATUS_CODES: ReadonlySet<number> = new Set([429, 502, 503, 504])
const KICKOFF_CODES: ReadonlySet<number> = new Set([429, 503])

/**
 * True when the request may be sent again. A GET: when no connection was established, and on 429,
 * 502, 503, 504. A kickoff has no idempotency key, nor has an answer for a person: only when no
 * connection was established and certainly nothing was written, and on 429 and 503, as in the
 * vendor's own client; with `unknownKickoffs: 'repeat'` kickoffs also when one may have started, as
 * in many clients whose authors never saw them under load.
 */
export function isRetriable(
  operation: Operation,
  answer: Answer,
  { unknownKickoffs }: Pick<RetryPolicy, 'unknownKickoffs'>,
): boolean {
  const repeats = operation === 'kickoff' && unknownKickoffs === 'repeat'
  if (repeats && mayHaveStarted(answer)) return !isGivenUp(answer)
  if (answer.kind === 'failure') return !answer.written && CONNECT_FAILURES.has(answer.class)
  const isPost = operation === 'kickoff' || operation === 'resume'
  return (isPost ? KICKOFF_CODES : STATUS_CODES).has(answer.status)
}

/**
 * Whether a kickoff without a usable answer may have started. False when certainly nothing started:
 * nothing was written, any 4xx, 503, and redirects other than 303 (which says that the request was
 * carried out).
 */
export function mayHaveStarted(answer: Answer): boolean {
  if (answer.kind === 'failure' && !answer.written) return false
  const { status } = answer
  if (status === null || status === 303) return true
  return status !== 503 && (status < 300 || status >= 500)
}

/** Whether we cancelled the request because the run was stopped. */
export function isGivenUp(answer: Answer): boolean {
  return answer.kind === 'failure' && answer.class === 'cancelled'
}

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
  #refusal: 'none' | 'new' | 'taken' = 'none'

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
    this.#refusal = 'taken'
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
