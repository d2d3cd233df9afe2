/**
 * The connections of a proxy to its target: HTTP/1.1, with verified certificates, no retries, and
 * cancelled with the client.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Dispatcher } from 'undici'
import { Agent } from 'undici'

/** What @fastify/reply-from does not pass on to a request's dispatcher. */
export interface ForwardingContext {
  /** The target's path as received, not as a URL would normalise it. */
  path: string
  /** The client has disconnected. */
  signal: AbortSignal
}

export class TargetAgent {
  /** How long a target may take is for the client to decide. */
  readonly #agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  readonly #journeys = new AsyncLocalStorage<ForwardingContext>()

  /** Our own agent verifies certificates; those that reply-from creates would not. */
  readonly dispatcher = {
    request: ((
      options: Dispatcher.RequestOptions,
      done: (error: Error | null, data: Dispatcher.ResponseData) => void,
    ) =>
      this.#agent.request({ ...options, ...this.#journeys.getStore() }, done)) as Agent['request'],
  }

  travel(journey: ForwardingContext, act: () => void): void {
    this.#journeys.run(journey, act)
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
    // Until then, Node calls a hook for each promise of the process.
    this.#journeys.disable()
  }
}
