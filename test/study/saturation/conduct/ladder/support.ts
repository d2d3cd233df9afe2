/** Small loopback servers, and one rung on them. */
import { once } from 'node:events'
import type { RequestListener, Server } from 'node:http'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { VisitCounts } from '../../../../../src/study/saturation/analyse/visit.ts'
import { TEST_CERTIFICATE, TEST_KEY } from '../../../../host/certificate.ts'
import { Histogram } from '../../../../../src/result/counting/histogram.ts'
import type {
  VisitOptions,
  SaturatingRequest,
} from '../../../../../src/study/saturation/conduct/ladder/visit.ts'
import { visitRung } from '../../../../../src/study/saturation/conduct/ladder/visit.ts'

export const MS = 1_000
export const SECOND = 1_000_000

export interface Target {
  url: string
  server: Server
  /** When each request arrived, milliseconds on the monotonic clock. */
  arrivals: number[]
  connections: () => number
}

/** Gone when the test has finished. `listener` sees each request when it has arrived whole. */
export async function target(listener: RequestListener): Promise<Target> {
  const arrivals: number[] = []
  let connections = 0
  const server = createServer((request, response) => {
    arrivals.push(performance.now())
    request.resume().once('end', () => listener(request, response))
  })
  server.on('connection', () => connections++)
  const url = `http://127.0.0.1:${await portOf(server)}/`
  return { url, server, arrivals, connections: () => connections }
}

/** The same, encrypted by the certificate of the tests. */
export async function secureTarget(listener: RequestListener): Promise<string> {
  const server = createSecureServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, listener)
  return `https://localhost:${await portOf(server)}/`
}

/** Gone when the test has finished. */
async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Answers after `ms`. */
export function after(ms: number): RequestListener {
  return (_, response) => void setTimeout(() => response.end('{}'), ms)
}

export function getRequest(url: string): SaturatingRequest {
  return { url: new URL(url), method: 'GET', body: null, headers: [{}], tls: {} }
}

/** One rung of 600 ms with a time-out of a second and no warm-up beyond the first answers. */
export async function climb(
  url: string,
  changes: Partial<Omit<VisitOptions, 'latency'>> = {},
): Promise<VisitCounts> {
  const latency = new Histogram()
  onTestFinished(() => latency.destroy())
  return visitRung({
    request: getRequest(url),
    connections: 2,
    amount: null,
    warmUpMicros: 0,
    durationMicros: 600 * MS,
    timeoutMicros: SECOND,
    signal: new AbortController().signal,
    ...changes,
    latency,
  })
}
