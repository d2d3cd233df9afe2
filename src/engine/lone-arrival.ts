/** A single arrival as a source: for a body in which each execution has an engine to itself. */
import { assert } from '../base/assert.ts'
import type { Arrival } from '../execution/machine.ts'
import type { Micros } from '../base/units.ts'
import type { ArrivalSource } from './arrivals.ts'

export class LoneArrival implements ArrivalSource {
  #arrival: Arrival | null

  constructor(arrival: Arrival) {
    this.#arrival = arrival
  }

  get nextDueMicros(): Micros {
    return this.#arrival?.intendedMicros ?? Infinity
  }

  take(): Arrival {
    const arrival = this.#arrival
    assert(arrival !== null, 'the one arrival was taken already')
    this.#arrival = null
    return arrival
  }

  /** No other follows it. */
  ended(): void {}
}
