/** Acceptances and completions over time, counted within a span that is known only at the end. */
import type { Throughput } from '../../observations.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import type { Micros } from '../../../base/units.ts'
import { EventTimes } from './event-times.ts'

export interface Span {
  fromMicros: Micros
  toMicros: Micros
}

/** Events count by the time when they happened, including those of warm-up arrivals. */
export class ThroughputTally {
  readonly #accepted = new EventTimes()
  readonly #completed = new EventTimes()

  record({ outcome, acceptedMicros, endedMicros }: ExecutionRecord): void {
    if (acceptedMicros !== null) this.#accepted.record(acceptedMicros)
    if (outcome === 'completed') this.#completed.record(endedMicros)
  }

  within(span: Span | null): Throughput | null {
    if (span === null) return null
    const { fromMicros, toMicros } = span
    return {
      accepted: this.#accepted.between(fromMicros, toMicros),
      completed: this.#completed.between(fromMicros, toMicros),
      spanMicros: toMicros - fromMicros,
    }
  }
}
