/**
 * Confirmation polls: a seeded share of ended executions is polled again, to check that a final
 * state is final.
 */
import type { Answer } from '../crew/answer.ts'
import type { CrewRequest } from '../crew/crew-request.ts'
import type { Execution } from '../execution/machine.ts'
import { confirm, confirmationRequest } from '../execution/machine.ts'
import type { Violation } from '../execution/record/record.ts'
import type { Plan } from '../scenario/plan.ts'
import type { Cancel, Host } from './host.ts'
import type { SpendingGate } from './spending-gate.ts'

/**
 * Executions kept for the second confirmation at the end of the run: the first ones selected, which
 * have then been ended longest.
 */
const KEPT_MAX = 500
/** Second confirmations in flight at once: the end of a run must not be a burst. */
const AT_ONCE = 8

/** The events of which the engine is notified. */
export interface ConfirmationEvents {
  heard(answer: Answer): void
  /** A confirmation was answered. */
  asked(index: number, answer: Answer): void
  /** A confirmation that contradicted a final state. */
  violated(index: number, violation: Violation): void
}

export class Confirmations {
  readonly #plan: Plan
  readonly #host: Host
  readonly #spending: SpendingGate
  readonly #events: ConfirmationEvents
  readonly #kept: Execution[] = []
  readonly #outstanding = new Map<number, Cancel>()
  #whenIdle: (() => void) | null = null
  #asked = 0
  #givenUp = false

  constructor(
    plan: Plan,
    { host, spending }: { host: Host; spending: SpendingGate },
    events: ConfirmationEvents,
  ) {
    this.#plan = plan
    this.#host = host
    this.#spending = spending
    this.#events = events
  }

  /** Confirmation polls sent. */
  get asked(): number {
    return this.#asked
  }

  /**
   * The first confirmation, right after the end; the machine knows which executions are in the
   * share.
   */
  consider(execution: Execution): void {
    const request = confirmationRequest(execution)
    if (request === null) return
    this.#ask(execution, request, () => this.#tellWhenIdle())
    if (this.#kept.length < KEPT_MAX) this.#kept.push(execution)
  }

  /**
   * The second confirmations, at the end of the run; `whenIdle` is called once, when no answer is
   * outstanding any more.
   */
  recheck(whenIdle: () => void): void {
    this.#whenIdle = whenIdle
    for (let i = 0; i < AT_ONCE; i++) this.#recheckNext()
    this.#tellWhenIdle()
  }

  /** Stops waiting for answers and sends no more. */
  giveUp(): void {
    this.#givenUp = true
    for (const cancel of this.#outstanding.values()) cancel()
    this.#outstanding.clear()
    this.#tellWhenIdle()
  }

  #recheckNext(): void {
    const execution = this.#givenUp ? undefined : this.#kept.shift()
    const request = execution === undefined ? null : confirmationRequest(execution)
    if (execution === undefined || request === null) return
    this.#ask(execution, request, () => {
      this.#recheckNext()
      this.#tellWhenIdle()
    })
  }

  #ask(execution: Execution, request: CrewRequest, answered: () => void): void {
    if (!this.#spending.spend('request')) return
    const ask = this.#asked++
    const { requestTimeoutMicros: timeoutMicros, maxBodyBytes: maxBytes } = this.#plan.http
    const cancel = this.#host.send(request, { timeoutMicros, maxBytes }, (answer) => {
      if (!this.#outstanding.delete(ask)) return
      this.#events.heard(answer)
      this.#events.asked(execution.record.index, answer)
      for (const violation of confirm(execution, answer)) {
        this.#events.violated(execution.record.index, violation)
      }
      answered()
    })
    this.#outstanding.set(ask, cancel)
  }

  #tellWhenIdle(): void {
    if (this.#whenIdle === null || this.#outstanding.size > 0) return
    const tell = this.#whenIdle
    this.#whenIdle = null
    tell()
  }
}
