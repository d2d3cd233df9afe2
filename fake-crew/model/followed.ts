/**
 * One execution that a client polls: what its status requests have in common is read and checked
 * once, and an answer is built once until it changes.
 */
import type { Micros } from '../../src/base/units.ts'
import type { StatusTeller } from './dialects/dialect.ts'
import type { Content } from './exchange.ts'
import type { HttpLatency } from './latency.ts'
import type { RequestTraffic } from './records/traffic.ts'
import type { WorkerPool } from './work/worker-pool.ts'

/** The parts of a crew that answer status requests. */
export interface Followable {
  readonly pool: WorkerPool
  readonly latency: HttpLatency
  readonly traffic: RequestTraffic
  readonly statusOf: StatusTeller
  /** Whether an answer about an execution in progress says what time it is. */
  readonly tellsTime: boolean
  /** `Crew.isFollowable`, which ends when a fault is added. */
  isFollowable(): boolean
}

/** Times must not decrease, from one request of the crew to the next. */
export class Followed {
  readonly #crew: Followable
  readonly #ordinal: number
  #content: Content | null = null
  /** `#content` is the answer until this time, or the count of unforeseen changes grows. */
  #steadyUntilMicros: Micros = -Infinity
  #unforeseenChanges = 0

  constructor(crew: Followable, ordinal: number) {
    this.#crew = crew
    this.#ordinal = ordinal
  }

  /**
   * The content of what `Crew.answer` returns for such a request now: the same object until the
   * execution changes. Null if only `Crew.answer` can determine it.
   */
  answer(nowMicros: Micros): Content | null {
    const { pool } = this.#crew
    if (!this.#crew.isFollowable()) return null
    pool.settle(nowMicros)
    if (this.#ordinal < pool.first) return null
    const isSteady =
      nowMicros < this.#steadyUntilMicros && pool.unforeseenChanges === this.#unforeseenChanges
    return isSteady ? this.#content : this.#read(nowMicros)
  }

  /** Counts the answer, and returns how long the crew takes for it; call it once for each. */
  delayMicros({ status }: Content, nowMicros: Micros): Micros {
    const { pool, latency, traffic } = this.#crew
    const number = pool.countPoll(this.#ordinal)
    const delayMicros = latency.delay('status', this.#ordinal, number, nowMicros)
    traffic.passed('status', status, delayMicros)
    return delayMicros
  }

  #read(nowMicros: Micros): Content | null {
    const { pool, statusOf, tellsTime } = this.#crew
    if (!pool.isKnown(this.#ordinal, nowMicros)) return null
    const view = pool.view(this.#ordinal, nowMicros)
    const content = statusOf(view, nowMicros)
    if (!tellsTime && view.phase !== 'completed' && view.phase !== 'failed') {
      this.#content = content
      this.#steadyUntilMicros = pool.steadyUntil(this.#ordinal, nowMicros)
      this.#unforeseenChanges = pool.unforeseenChanges
    }
    return content
  }
}
