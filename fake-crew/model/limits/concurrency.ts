/** Concurrency: so many requests at once; each counts until its answer has left. */
import type { Algorithm, Quota } from './algorithm.ts'

export interface ConcurrencyState {
  inFlight: number
}

export class Concurrency implements Algorithm<ConcurrencyState> {
  readonly windowMicros = null
  readonly #limit: number

  constructor({ limit }: { limit: number }) {
    this.#limit = limit
  }

  fresh(): ConcurrencyState {
    return { inFlight: 0 }
  }

  quota({ inFlight }: ConcurrencyState): Quota {
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
