/** How long HTTP takes: drawn for each request, and behind a pool when latency shall grow with load. */
import type { Operation } from '../../src/crew/answer.ts'
import { draw } from '../../src/distribution.ts'
import type { Random } from '../../src/random.ts'
import type { Micros } from '../../src/units.ts'
import type { HttpProfile } from './profile.ts'
import { Slots } from './slots.ts'

/** What a draw is keyed by, so that no other request can change it. */
export interface LatencyKey {
  /** `poll` of an execution, or `request` for those that belong to none. */
  kind: 'poll' | 'request'
  /** The execution's ordinal; 0 for none. */
  ordinal: number
  /** Number of the poll, or of the request of its operation, from 0. */
  number: number
}

type Streams = Readonly<Record<LatencyKey['kind'], (ordinal: number) => Random>>

export class HttpLatency {
  readonly #profile: HttpProfile
  readonly #streams: Readonly<Record<Operation, Streams>>
  readonly #pool: Slots | null

  constructor(profile: HttpProfile, random: Random) {
    const streamsOf = (operation: Operation): Streams => ({
      poll: random.forks(`${operation} poll`),
      request: random.forks(`${operation} request`),
    })
    this.#profile = profile
    this.#streams = {
      inputs: streamsOf('inputs'),
      kickoff: streamsOf('kickoff'),
      status: streamsOf('status'),
    }
    this.#pool = profile.pool === null ? null : new Slots(profile.pool.size)
  }

  /** From arrival to answer, in whole wall microseconds: the drawn time, and before it the wait for the pool. */
  delay(operation: Operation, key: LatencyKey, nowMicros: Micros): Micros {
    const latencyMicros = this.#draw(operation, key)
    if (this.#pool === null) return latencyMicros
    return this.#pool.take(nowMicros, latencyMicros) - nowMicros + latencyMicros
  }

  #draw(operation: Operation, { kind, ordinal, number }: LatencyKey): Micros {
    const distribution = this.#profile.latency[operation]
    if (distribution.kind === 'constant') return Math.round(distribution.value)
    const random = this.#streams[operation][kind](ordinal).fork('number', number)
    return Math.max(0, Math.round(draw(distribution, random)))
  }
}
