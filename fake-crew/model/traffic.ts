/** What came in and what went out: requests by operation and status, those in flight, and how long they took. */
import type { Operation } from '../../src/crew/answer.ts'
import type { Micros } from '../../src/units.ts'
import type { FakeRequest } from './exchange.ts'

/** `other`: paths that the interface does not have. */
export type TrafficKind = Operation | 'other'

export interface TrafficCount {
  operation: TrafficKind
  status: number
  count: number
}

export interface TrafficTime {
  operation: TrafficKind
  /** Requests whose answer has been delivered, or whose client has gone. */
  count: number
  sumMicros: Micros
}

export class Traffic {
  /** By operation, then by status. */
  readonly #counts = new Map<TrafficKind, Map<number, number>>()
  readonly #times = new Map<TrafficKind, TrafficTime>()
  readonly #inFlight = new Map<FakeRequest, { operation: TrafficKind; atMicros: Micros }>()

  get inFlight(): number {
    return this.#inFlight.size
  }

  /** It has come at `atMicros`, and has to wait before it is looked at. */
  hold(request: FakeRequest, operation: TrafficKind, atMicros: Micros): void {
    this.#inFlight.set(request, { operation, atMicros })
  }

  /** It has come at `atMicros`, and its answer is on its way. */
  begin(request: FakeRequest, operation: TrafficKind, status: number, atMicros: Micros): void {
    this.#inFlight.set(request, { operation, atMicros })
    const byStatus = this.#counts.get(operation) ?? new Map<number, number>()
    byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
    this.#counts.set(operation, byStatus)
  }

  /** The second call for a request does nothing. */
  end(request: FakeRequest, atMicros: Micros): void {
    const begun = this.#inFlight.get(request)
    if (begun === undefined) return
    this.#inFlight.delete(request)
    const { operation } = begun
    const time = this.#times.get(operation) ?? { operation, count: 0, sumMicros: 0 }
    time.count++
    time.sumMicros += atMicros - begun.atMicros
    this.#times.set(operation, time)
  }

  counts(): TrafficCount[] {
    return [...this.#counts].flatMap(([operation, byStatus]) =>
      Array.from(byStatus, ([status, count]) => ({ operation, status, count })),
    )
  }

  times(): TrafficTime[] {
    return [...this.#times.values()]
  }
}
