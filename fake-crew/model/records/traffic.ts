/**
 * Requests in and out: counts by operation and status, the number in flight, and how long they
 * took.
 */
import type { Micros } from '../../../src/base/units.ts'
import type { FakeRequest, TrafficKind } from '../exchange.ts'

export interface TrafficCount {
  operation: TrafficKind
  status: number
  count: number
}

export interface TrafficTime {
  operation: TrafficKind
  /** Requests whose answer has been delivered, or whose client has disconnected. */
  count: number
  sumMicros: Micros
}

export class RequestTraffic {
  /** Counts by operation, then by status. */
  readonly #counts = new Map<TrafficKind, Map<number, TrafficCount>>()
  readonly #times = new Map<TrafficKind, TrafficTime>()
  #inFlight = 0

  get inFlight(): number {
    return this.#inFlight
  }

  /** The request arrived at `atMicros` and waits before it is handled. */
  hold(request: FakeRequest, operation: TrafficKind, atMicros: Micros): void {
    if (!request.underway) this.#inFlight++
    request.underway = { operation, atMicros }
  }

  /** The request arrived at `atMicros`, and its answer is on its way. */
  begin(request: FakeRequest, operation: TrafficKind, status: number, atMicros: Micros): void {
    this.hold(request, operation, atMicros)
    this.#countOf(operation, status).count++
  }

  /** A second call for the same request does nothing. */
  end(request: FakeRequest, atMicros: Micros): void {
    const begun = request.underway
    if (!begun) return
    request.underway = null
    this.#inFlight--
    const time = this.#timeOf(begun.operation)
    time.count++
    time.sumMicros += atMicros - begun.atMicros
  }

  /** A request that was answered after `tookMicros`; it counts as in flight at no time. */
  passed(operation: TrafficKind, status: number, tookMicros: Micros): void {
    this.#countOf(operation, status).count++
    const time = this.#timeOf(operation)
    time.count++
    time.sumMicros += tookMicros
  }

  counts(): TrafficCount[] {
    return [...this.#counts.values()].flatMap((byStatus) => Array.from(byStatus.values()))
  }

  times(): TrafficTime[] {
    return [...this.#times.values()]
  }

  #countOf(operation: TrafficKind, status: number): TrafficCount {
    const byStatus = this.#counts.get(operation) ?? new Map<number, TrafficCount>()
    if (byStatus.size === 0) this.#counts.set(operation, byStatus)
    const known = byStatus.get(status)
    if (known !== undefined) return known
    const count = { operation, status, count: 0 }
    byStatus.set(status, count)
    return count
  }

  #timeOf(operation: TrafficKind): TrafficTime {
    const known = this.#times.get(operation)
    if (known !== undefined) return known
    const time = { operation, count: 0, sumMicros: 0 }
    this.#times.set(operation, time)
    return time
  }
}
