/**
 * How long HTTP takes: drawn for each request, preceded by a wait for the pool if latency is to
 * grow with load.
 */
import type { Operation } from '../../src/crew/answer.ts'
import { sampler } from '../../src/base/distribution.ts'
import type { Random } from '../../src/base/random.ts'
import { forksBriefly } from '../../src/base/random.ts'
import type { Micros } from '../../src/base/units.ts'
import type { HttpProfile } from './profile.ts'
import { Slots } from './work/slots.ts'

/** The key of a draw, so that no other request can change it. */
export interface LatencyKey {
  /** `poll` for requests of an execution, `request` for those that belong to none. */
  kind: 'poll' | 'request'
  /** The execution's ordinal; 0 for none. */
  ordinal: number
  /** The number of the poll, or of the request within its operation, from 0. */
  number: number
}

type LatencyStream = (ordinal: number, number: number) => Random
type Streams = Readonly<Record<LatencyKey['kind'], LatencyStream>>

/** The latency of one operation, in microseconds; a constant one draws nothing. */
interface Lag {
  constant: Micros | null
  sample: (random: Random) => number
  streams: Streams
}

export class HttpLatency {
  readonly #lags: Readonly<Record<Operation, Lag>>
  readonly #pool: Slots | null

  constructor({ latency, pool }: HttpProfile, random: Random) {
    const lagOf = (operation: Operation): Lag => {
      const distribution = latency[operation]
      return {
        constant: distribution.kind === 'constant' ? Math.round(distribution.value) : null,
        sample: sampler(distribution),
        streams: {
          poll: forksBriefly(random, `${operation} poll`, 'number'),
          request: forksBriefly(random, `${operation} request`, 'number'),
        },
      }
    }
    this.#lags = { inputs: lagOf('inputs'), kickoff: lagOf('kickoff'), status: lagOf('status') }
    this.#pool = pool === null ? null : new Slots(pool.size)
  }

  /**
   * The time from the arrival of a request to its answer, in whole wall microseconds: the wait for
   * the pool plus the drawn time.
   */
  delay(operation: Operation, key: LatencyKey, nowMicros: Micros): Micros {
    const { kind, ordinal, number } = key
    const lag = this.#lags[operation]
    return this.#pooled(draw(lag, lag.streams[kind], ordinal, number), nowMicros)
  }

  /** Gives what `delay` gives for the status request `number` of an execution. */
  ofPoll(ordinal: number, number: number, nowMicros: Micros): Micros {
    const lag = this.#lags.status
    return this.#pooled(draw(lag, lag.streams.poll, ordinal, number), nowMicros)
  }

  #pooled(latencyMicros: Micros, nowMicros: Micros): Micros {
    if (this.#pool === null) return latencyMicros
    return this.#pool.take(nowMicros, latencyMicros) - nowMicros + latencyMicros
  }
}

function draw(
  { constant, sample }: Lag,
  stream: LatencyStream,
  ordinal: number,
  number: number,
): Micros {
  return constant ?? Math.max(0, Math.round(sample(stream(ordinal, number))))
}
