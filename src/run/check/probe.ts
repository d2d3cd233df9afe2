/** Single requests of the interface, outside any run, on a kept-alive connection. */
import type { Answer, CrewRequest } from '../../crew/answer.ts'
import { ownBudget } from '../../host/budget.ts'
import type { NodeHost, TlsOptions } from '../../host/node/index.ts'
import { createNodeHost } from '../../host/node/index.ts'
import { planScenario } from '../../scenario/schema/index.ts'
import { version } from '../environment/version.ts'

export interface ProbeOptions {
  target: URL
  headers: Readonly<Record<string, string>>
  tls: TlsOptions
  env: Readonly<Record<string, string | undefined>>
}

export interface Probe {
  ask(request: CrewRequest): Promise<Answer>
  close(): Promise<void>
}

/** `token` null sends no token. */
export async function openProbe(options: ProbeOptions, token: string | null): Promise<Probe> {
  const { http } = planScenario(
    { name: 'check', arrivals: { clients: 1, iterations: 1 }, inputs: {} },
    { source: 'check' },
  )
  const host: NodeHost = await createNodeHost({
    target: options.target,
    tokens: token === null ? [] : [token],
    http: { ...http, preOpenConnections: 0, headers: options.headers },
    emit: () => {},
    budget: ownBudget({ kickoffs: 0, requests: null }),
    tls: options.tls,
    proxies: options.env,
    userAgent: `crewload/${version()}`,
  })
  const limits = { timeoutMicros: http.firstCallTimeoutMicros, maxBytes: http.maxBodyBytes }
  return {
    ask: async (request) => new Promise((resolve) => void host.send(request, limits, resolve)),
    close: async () => host.close(),
  }
}
