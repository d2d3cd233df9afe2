/** Concurrency: a maximum of requests at once; each counts until its answer has been sent. */
import { z } from 'zod'
import { count } from '../../schema/quantities.ts'
import type { Algorithm, AlgorithmQuota } from '../definition.ts'
import { defineLimiter } from '../definition.ts'

interface ConcurrencyState {
  inFlight: number
}

class Concurrency implements Algorithm<ConcurrencyState> {
  readonly windowMicros = null
  readonly #limit: number

  constructor({ limit }: { limit: number }) {
    this.#limit = limit
  }

  fresh(): ConcurrencyState {
    return { inFlight: 0 }
  }

  quota({ inFlight }: ConcurrencyState): AlgorithmQuota {
    return {
      limit: this.#limit,
      remaining: Math.max(0, this.#limit - inFlight),
      moreMicros: null,
      fullMicros: inFlight === 0 ? 0 : null,
    }
  }

  count(state: ConcurrencyState): void {
    state.inFlight++
  }

  release(state: ConcurrencyState): void {
    state.inFlight--
  }
}

export const concurrency = defineLimiter({
  kind: 'concurrency',
  description: 'A maximum of requests at once; each counts until its answer has been sent.',
  written: z.strictObject({ limit: count(1).meta({ description: 'Requests at once.' }) }),
  algorithm: (profile) => new Concurrency(profile),
  example: { limit: 4 },
})
