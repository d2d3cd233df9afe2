/**
 * The connections of a proxy to its target: HTTP/1.1, certificates verified, each request once, and
 * cancelled with its client.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Dispatcher } from 'undici'
import { Agent } from 'undici'

/** What @fastify/reply-from does not hand on to the dispatcher of a request. */
export interface Journey {
  /** The target's path as it came, and not as a URL would have it. */
  path: string
  /** The client has gone. */
  signal: AbortSignal
}

export class TargetAgent {
  /** How long a target may take is the client's affair. */
  readonly #agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  readonly #journeys = new AsyncLocalStorage<Journey>()

  /** Of an agent of ours certificates are verified; those that reply-from makes would not do it. */
  readonly dispatcher = {
    request: ((
      options: Dispatcher.RequestOptions,
      done: (error: Error | null, data: Dispatcher.ResponseData) => void,
    ) =>
      this.#agent.request({ ...options, ...this.#journeys.getStore() }, done)) as Agent['request'],
  }

  travel(journey: Journey, act: () => void): void {
    this.#journeys.run(journey, act)
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }
}
