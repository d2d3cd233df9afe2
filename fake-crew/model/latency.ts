/**
 * How long HTTP takes: drawn for each request, preceded by a wait for the pool if latency is to
 * grow with load.
 */
import type { Operation } from '../../src/crew/answer.ts'
import { sampler } from '../../src/base/distribution.ts'
import type { Random } from '../../src/base/random.ts'
import { forksBriefly } from '../../src/base/random.ts'
import type { Micros } from '../../src/base/units.ts'
import type { HttpProfile, Profile } from './profile.ts'
import { Slots } from './work/slots.ts'

/** The same crew with answers that take no time. */
export function withoutLatency(profile: Profile): Profile {
  const none = { kind: 'constant', value: 0 } as const
  return {
    ...profile,
    http: { latency: { inputs: none, kickoff: none, status: none }, pool: null },
  }
}

type LatencyStream = (ordinal: number, number: number) => Random

/** The latency of one operation, in microseconds; a constant one draws nothing. */
interface Lag {
  constant: Micros | null
  sample: (random: Random) => number
  /** Of requests that ask about an execution, and of the others. */
  polls: LatencyStream
  requests: LatencyStream
}

export class HttpLatency {
  readonly #lags: Readonly<Record<Operation, Lag>>
  readonly #pool: Slots | null

  constructor({ latency, pool }: HttpProfile, random: Random) {
    const lagOf = (operation: Operation): Lag => {
      // Nothing is known of it; like a kickoff, it changes an execution.
      const distribution = latency[operation === 'resume' ? 'kickoff' : operation]
      return {
        constant: distribution.kind === 'constant' ? Math.round(distribution.value) : null,
        sample: sampler(distribution),
        polls: forksBriefly(random, `${operation} poll`, 'number'),
        requests: forksBriefly(random, `${operation} request`, 'number'),
      }
    }
    this.#lags = {
      inputs: lagOf('inputs'),
      kickoff: lagOf('kickoff'),
      status: lagOf('status'),
      resume: lagOf('resume'),
    }
    this.#pool = pool === null ? null : new Slots(pool.size)
  }

  /**
   * The time from the arrival of a request to its answer, in whole wall microseconds: the wait for
   * the pool plus the drawn time. The draw is keyed by the execution and the number of the poll,
   * or without an execution by the number of the request, so that no other request can change it.
   */
  delay(
    operation: Operation,
    ordinal: number | undefined,
    number: number,
    nowMicros: Micros,
  ): Micros {
    const latencyMicros = drawn(this.#lags[operation], ordinal, number)
    if (this.#pool === null) return latencyMicros
    return this.#pool.take(nowMicros, latencyMicros) - nowMicros + latencyMicros
  }
}

function drawn(
  { constant, sample, polls, requests }: Lag,
  ordinal: number | undefined,
  number: number,
): Micros {
  if (constant !== null) return constant
  const random = ordinal === undefined ? requests(0, number) : polls(ordinal, number)
  return Math.max(0, Math.round(sample(random)))
}
