/**
 * The circuit breaker: decides from the answers when the target is dead, or accepts our token no
 * longer.
 */
import type { Answer, Operation, FailureClass, FailedRequest } from '../crew/answer.ts'
import type { CircuitPolicy } from './plan.ts'
import type { TargetLoss } from './target-loss.ts'
import { asksToWait } from '../crew/retry-after.ts'

/**
 * Opens permanently when no usable answer came for `afterMicros` and at least `requests` requests:
 * of all operations, or of kickoffs alone. For kickoffs alone 503 and 529 do not count: together
 * with polls that are answered they mean that the crew is full, not dead. When there were bad
 * answers among good ones before, it takes a series too long to be chance: a crew that fails in 40
 * % of its answers is broken, not dead.
 */
export class CircuitBreaker {
  readonly #policy: CircuitPolicy | null
  readonly #everything = new BadRow()
  readonly #kickoffs = new BadRow()
  #lastPoll: Usability = 'good'
  #loss: TargetLoss | null = null

  /** A null policy never opens. */
  constructor(policy: CircuitPolicy | null) {
    this.#policy = policy
  }

  /** Why it opened; null while it is closed. */
  get loss(): TargetLoss | null {
    return this.#loss
  }

  /** Returns true when this answer opened it. */
  heard(operation: Operation, answer: Answer): boolean {
    if (this.#policy === null || this.#loss !== null) return false
    const verdict = usabilityOf(answer)
    this.#everything.add(verdict, answer)
    if (operation === 'status' && verdict !== 'nothing') this.#lastPoll = verdict
    if (operation === 'kickoff' && this.#isOfKickoffs(verdict, answer)) {
      this.#kickoffs.add(verdict, answer)
    }
    if (verdict === 'good') return false
    this.#loss =
      this.#everything.lossBy(this.#policy, 'everything') ??
      this.#kickoffs.lossBy(this.#policy, 'kickoffs')
    return this.#loss !== null
  }

  /** A bad answer together with bad polls concerns everything, and not only kickoffs. */
  #isOfKickoffs(verdict: Usability, answer: Answer): boolean {
    return verdict === 'good' || (this.#lastPoll === 'good' && !isFull(answer))
  }
}

function isFull(answer: Answer): boolean {
  return answer.kind === 'answer' && (answer.status === 503 || answer.status === 529)
}

/**
 * The logarithm of the probability below which a series of failures is no longer explained by those
 * before it. A run of 100,000 requests, half of which fail, then opens the circuit by chance once
 * in 20,000 runs; at 40 % a series takes 23 requests, at 90 % 197.
 */
const LOG_CHANCE = Math.log(1e-9)

/** Consecutive bad answers. */
class BadRow {
  #requests = 0
  #refused = 0
  /** All answers before this series, and the number of bad ones among them. */
  #before = 0
  #badBefore = 0
  #first: Answer | null = null
  #last: Answer | null = null

  add(verdict: Usability, answer: Answer): void {
    if (verdict === 'nothing') return
    if (verdict === 'good') {
      this.#before += this.#requests + 1
      this.#badBefore += this.#requests
      this.#requests = 0
      this.#refused = 0
      this.#first = null
      return
    }
    this.#requests++
    if (verdict === 'refused') this.#refused++
    this.#first ??= answer
    this.#last = answer
  }

  lossBy(
    { afterMicros, requests: least }: CircuitPolicy,
    scope: TargetLoss['scope'],
  ): TargetLoss | null {
    if (this.#first === null || this.#last === null || this.#requests < least) return null
    const sinceMicros = this.#first.timing.doneMicros
    const untilMicros = this.#last.timing.doneMicros
    if (untilMicros - sinceMicros < afterMicros || this.#mayBeChance()) return null
    const state = this.#refused === this.#requests ? 'refused' : 'dead'
    const [first, last] = [codeOf(this.#first), codeOf(this.#last)]
    return { state, scope, sinceMicros, untilMicros, requests: this.#requests, first, last }
  }

  /** Whether independent failures, as frequent as before, could form such a series by chance. */
  #mayBeChance(): boolean {
    if (this.#badBefore === 0) return false
    return this.#requests * Math.log(this.#badBefore / this.#before) > LOG_CHANCE
  }
}

/**
 * `refused`: the target is there but does not accept our token. `nothing`: the answer concerns only
 * us.
 */
export type Usability = 'good' | 'refused' | 'dead' | 'nothing'

/**
 * Usable is any complete answer except 401, 403 and 5xx. A 403 that asks for a wait comes from a
 * rate limiter, and counts as 429 does. A body over our limit shows that the target is alive.
 */
export function usabilityOf(answer: Answer): Usability {
  if (answer.kind === 'failure') return usabilityOfFailure(answer)
  if (answer.status === 403 && asksToWait(answer.headers)) return 'good'
  if (answer.status === 401 || answer.status === 403) return 'refused'
  return answer.status >= 500 ? 'dead' : 'good'
}

/** A request that we gave up, or for which no connection was free, shows nothing. */
function usabilityOfFailure(failure: FailedRequest): Usability {
  if (failure.class === 'too-large') return 'good'
  const isOurs = failure.class === 'cancelled' || (failure.class === 'timeout' && !failure.written)
  return isOurs ? 'nothing' : 'dead'
}

/** The status code, or the class of the failure. */
export function codeOf(answer: Answer): number | FailureClass {
  return answer.kind === 'answer' ? answer.status : answer.class
}
