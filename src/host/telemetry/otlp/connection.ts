/**
 * How the exporters reach their endpoint: by the options, and by OTEL_* variables where an option
 * is missing.
 */
import { Agent } from 'node:http'
import { Agent as SecureAgent } from 'node:https'

/**
 * The default without a variable: less than the time for which the run waits for the last batch.
 */
const TIMEOUT_MS = 3_000

type Environment = Readonly<Record<string, string | undefined>>
type Signal = 'METRICS' | 'TRACES'

interface ExporterOptions {
  url?: string
  timeoutMillis?: number
  httpAgentOptions: (protocol: string) => Agent
}

export class OtlpConnection {
  readonly #endpoint: URL | null
  readonly #env: Environment
  readonly #agents: Agent[] = []

  /** `endpoint`: the base URL; null leaves it to the environment. */
  constructor(endpoint: URL | null, env: Environment) {
    this.#endpoint = endpoint
    this.#env = env
  }

  optionsFor(signal: Signal): ExporterOptions {
    const timed = ['OTEL_EXPORTER_OTLP_TIMEOUT', `OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`]
    return {
      ...(this.#endpoint === null
        ? {}
        : { url: below(this.#endpoint, `v1/${signal.toLowerCase()}`) }),
      ...(timed.some((name) => (this.#env[name] ?? '') !== '')
        ? {}
        : { timeoutMillis: TIMEOUT_MS }),
      httpAgentOptions: (protocol) => this.#agent(protocol),
    }
  }

  /** Ends every exchange in progress. */
  destroy(): void {
    for (const agent of this.#agents) agent.destroy()
  }

  #agent(protocol: string): Agent {
    const agent = new (protocol === 'https:' ? SecureAgent : Agent)({ keepAlive: true })
    this.#agents.push(agent)
    return agent
  }
}

/**
 * As with `OTEL_EXPORTER_OTLP_ENDPOINT`: the path of the signal is appended to that of the
 * endpoint.
 */
function below(endpoint: URL, path: string): string {
  const url = new URL(endpoint)
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/${path}`
  return url.href
}
