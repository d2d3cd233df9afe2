/**
 * Arrivals of which the first is sent alone: whether the crew needs inputs that the scenario does
 * not give, only the answer to a kickoff shows, and one refused kickoff is enough to learn it.
 */
import type { DueArrival } from '../execution/machine.ts'
import type { ExecutionRecord } from '../execution/record/record.ts'
import type { Micros } from '../base/units.ts'
import type { ArrivalSource } from './arrival-source.ts'

export class FirstAlone implements ArrivalSource {
  readonly #source: ArrivalSource
  readonly #isClosed: boolean
  #first: DueArrival | null = null
  #releasedMicros: Micros | null = null

  /**
   * An open schedule continues later by the time for which it was held, so that no arrival is late;
   * closed clients only wait, because they come again when their executions end.
   */
  constructor(source: ArrivalSource, kind: 'open' | 'closed') {
    this.#source = source
    this.#isClosed = kind === 'closed'
  }

  /** Whether the first arrival is on its way and the others wait for it. */
  get isWaiting(): boolean {
    return this.#first !== null && this.#releasedMicros === null
  }

  get nextDueMicros(): Micros {
    return this.isWaiting ? Infinity : this.#moved(this.#source.nextDueMicros)
  }

  take(): DueArrival {
    const arrival = this.#source.take()
    this.#first ??= arrival
    return { ...arrival, intendedMicros: this.#moved(arrival.intendedMicros) }
  }

  ended(record: ExecutionRecord): void {
    this.release(record.endedMicros)
    this.#source.ended(record)
  }

  /** Lets the others go; further calls have no effect. */
  release(atMicros: Micros): void {
    this.#releasedMicros ??= atMicros
  }

  #moved(dueMicros: Micros): Micros {
    const released = this.#releasedMicros
    if (released === null || this.#first === null) return dueMicros
    if (this.#isClosed) return Math.max(dueMicros, released)
    return dueMicros + Math.max(0, released - this.#first.intendedMicros)
  }
}
