/** Single requests of the interface, outside any run, on a kept-alive connection. */
import type { Answer } from '../../crew/answer.ts'
import type { CrewRequest } from '../../crew/crew-request.ts'
import type { Cancel } from '../../engine/host.ts'
import { SendingBudget } from '../../engine/sending-budget.ts'
import { cleanAnswer, secretsOf } from '../../host/secrets.ts'
import type { NodeHost, TlsOptions, TokenSource } from '../../host/node/index.ts'
import { createNodeHost } from '../../host/node/index.ts'
import type { Micros } from '../../base/units.ts'
import { planScenario } from '../../scenario/schema/index.ts'
import { version } from '../environment/package.ts'
import type { Environment } from '../options.ts'

export interface ProbeOptions {
  target: URL
  headers: Readonly<Record<string, string>>
  tls: TlsOptions
  env: Environment
}

export interface CheckProbe {
  /**
   * Default time-out: that of a first call (a cold start) until the target has answered, then that
   * of a request. `signal` cancels the request.
   */
  ask(request: CrewRequest, timeoutMicros?: Micros, signal?: AbortSignal): Promise<Answer>
  /** The wall clock, Unix milliseconds. */
  unixMs(): number
  close(): Promise<void>
}

/** `token` null sends no token. `source` gives a new one when it expires; none by default. */
export async function openProbe(
  options: ProbeOptions,
  token: string | null,
  source?: TokenSource,
): Promise<CheckProbe> {
  const { http } = planScenario(
    { name: 'check', arrivals: { clients: 1, iterations: 1 }, inputs: {} },
    { source: 'check' },
  )
  const tokens = token === null ? [] : [token]
  const host: NodeHost = await createNodeHost({
    target: options.target,
    tokens,
    ...(token === null || source === undefined ? {} : { tokenSource: source }),
    http: { ...http, preOpenConnections: 0, headers: options.headers },
    emit: () => {},
    budget: new SendingBudget({ kickoffs: 0, requests: null }),
    tls: options.tls,
    proxies: options.env,
    userAgent: `crewload/${version()}`,
  })
  const secrets = secretsOf(options.headers, () => source?.secrets ?? tokens)
  const maxBytes = http.maxBodyBytes
  let timeout = http.firstCallTimeoutMicros
  return {
    ask: async (request, timeoutMicros = timeout, signal) => {
      let cancel: Cancel | undefined
      const asked = new Promise<Answer>((resolve) => {
        cancel = host.send(request, { timeoutMicros, maxBytes }, (answer) => {
          if (answer.kind === 'answer') timeout = http.requestTimeoutMicros
          resolve(cleanAnswer(answer, secrets()))
        })
      })
      const stop = (): void => void cancel?.()
      signal?.addEventListener('abort', stop)
      if (signal?.aborted === true) stop()
      return asked.finally(() => signal?.removeEventListener('abort', stop))
    },
    unixMs: () => host.unixMs(),
    close: async () => host.close(),
  }
}
