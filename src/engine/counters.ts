/**
 * The engine's own count of what it did: independent of the records, so that a lost record is
 * noticed.
 */
import type { EngineCounters } from '../execution/record/journal-lines.ts'
import type { ExecutionRecord, Outcome } from '../execution/record/record.ts'
import { OUTCOMES } from '../execution/record/record.ts'
import type { Micros } from '../base/units.ts'

export class Counters {
  arrivals = 0
  started = 0
  polls = 0
  readonly outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<
    Outcome,
    number
  >
  #ended = 0
  #inFlight = 0
  #maxInFlight = 0
  #inFlightIntegralMicros = 0
  #changedMicros: Micros = 0

  /** Accepted and not yet ended. */
  get inFlight(): number {
    return this.#inFlight
  }

  accepted(atMicros: Micros): void {
    this.#integrate(atMicros)
    this.#inFlight++
    this.#maxInFlight = Math.max(this.#maxInFlight, this.#inFlight)
  }

  /** `wasInFlight`: it had been accepted. */
  ended(record: ExecutionRecord, wasInFlight: boolean, atMicros: Micros): void {
    this.#ended++
    this.outcomes[record.outcome]++
    if (!wasInFlight) return
    this.#integrate(atMicros)
    this.#inFlight--
  }

  snapshot(confirmations: number): EngineCounters {
    return {
      arrivals: this.arrivals,
      ended: this.#ended,
      inFlightIntegralMicros: this.#inFlightIntegralMicros,
      maxInFlight: this.#maxInFlight,
      confirmations,
    }
  }

  /** Adds the rectangle since the last change: number in flight times duration. */
  #integrate(atMicros: Micros): void {
    this.#inFlightIntegralMicros += this.#inFlight * (atMicros - this.#changedMicros)
    this.#changedMicros = atMicros
  }
}
