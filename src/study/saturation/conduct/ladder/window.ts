/**
 * The measured window of one visit: it opens after the warm-up, counts what ends within it, and
 * closes.
 */
import type { VisitCounts } from '../../analyse/visit.ts'
import { SLICE_MICROS } from '../../analyse/visit.ts'
import type { Sample } from '../../../../result/statistics/sample.ts'
import { isSuccess } from '../../../../crew/read.ts'
import type { Micros } from '../../../../base/units.ts'
import type { RequestEnd } from './connection.ts'

/** Service times of one visit, in microseconds. */
export interface LatencyCounter extends Sample {
  record(micros: Micros): void
  destroy(): void
}

export interface WindowOptions {
  connections: number
  warmUpMicros: Micros
  /** The warm-up ends after this many requests too, however short it was; null without a budget. */
  warmUpRequests: number | null
  latency: LatencyCounter
  now: () => Micros
  /** The share of the time in which this process was busy since the last call. */
  utilisation: () => number
  /** The share of the wanted CPU time that was stolen since the last call; null if unknown. */
  stolen: () => number | null
  onOpen: () => void
}

/**
 * The warm-up ends when its time or its requests are over, but not before every connection has had
 * its first answer or failure: handshakes are not part of a ceiling.
 */
export class RungWindow {
  readonly #options: WindowOptions
  readonly #beganMicros: Micros
  readonly #awaited: Set<number>
  #warmUpEnded = 0
  #openedMicros: Micros | null = null
  #closedMicros: Micros | null = null
  #utilisation: number | null = null
  #stolen: number | null = null
  #errors: Record<string, number> = {}
  #busyMicros = 0
  #slices: number[] = []
  #reconnects = 0

  constructor(options: WindowOptions) {
    this.#options = options
    this.#beganMicros = options.now()
    this.#awaited = new Set(Array.from({ length: options.connections }, (_, index) => index))
  }

  ended(connection: number, end: RequestEnd, tookMicros: Micros): void {
    if (this.#closedMicros !== null) return
    if (this.#openedMicros === null) this.#warm(connection)
    else this.#count(end, tookMicros, this.#options.now() - this.#openedMicros)
  }

  reopened(): void {
    if (this.#openedMicros !== null && this.#closedMicros === null) this.#reconnects++
  }

  /**
   * Only the first call counts. `sinceMicros`: for each connection, when its request in flight
   * began; null when there is none.
   */
  close(sinceMicros: readonly (Micros | null)[]): void {
    if (this.#closedMicros !== null) return
    const closed = this.#options.now()
    this.#closedMicros = closed
    if (this.#openedMicros === null) return
    this.#utilisation = this.#options.utilisation()
    this.#stolen = this.#options.stolen()
    for (const since of sinceMicros) {
      if (since !== null) this.#busyMicros += closed - Math.max(since, this.#openedMicros)
    }
  }

  get isClosed(): boolean {
    return this.#closedMicros !== null
  }

  counts(): Omit<VisitCounts, 'connections' | 'endedBy' | 'sent'> {
    const windowMicros =
      this.#openedMicros === null || this.#closedMicros === null
        ? 0
        : this.#closedMicros - this.#openedMicros
    const slices = Math.floor(windowMicros / SLICE_MICROS)
    return {
      windowMicros,
      latency: this.#options.latency,
      errors: this.#errors,
      busyMicros: this.#busyMicros,
      slices: Array.from({ length: slices }, (_, at) => this.#slices[at] ?? 0),
      utilisation: this.#utilisation,
      stolen: this.#stolen,
      reconnects: this.#reconnects,
    }
  }

  #warm(connection: number): void {
    const { now, warmUpMicros, warmUpRequests, utilisation, stolen, onOpen } = this.#options
    this.#awaited.delete(connection)
    this.#warmUpEnded++
    const spent = warmUpRequests !== null && this.#warmUpEnded >= warmUpRequests
    if (this.#awaited.size > 0 || (!spent && now() - this.#beganMicros < warmUpMicros)) return
    this.#openedMicros = now()
    utilisation()
    stolen()
    onOpen()
  }

  #count(end: RequestEnd, tookMicros: Micros, atMicros: Micros): void {
    this.#busyMicros += Math.min(tookMicros, atMicros)
    if (typeof end === 'number' && isSuccess(end)) {
      const slice = Math.floor(atMicros / SLICE_MICROS)
      this.#slices[slice] = (this.#slices[slice] ?? 0) + 1
      this.#options.latency.record(tookMicros)
    } else {
      this.#errors[end] = (this.#errors[end] ?? 0) + 1
    }
  }
}
