/** A Prometheus endpoint: an HTTP server of this process that is asked for the current metrics. */
import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { isLoopback } from '../../base/loopback.ts'
import type { MetricsExporter } from './live.ts'
import type { Add, Labels, TelemetryMetric, TelemetryName } from './metrics.ts'
import { addSamples, prometheusLabel, prometheusName } from './metrics.ts'

export interface PrometheusAddress {
  host: string
  /** 0 lets the system choose one. */
  port: number
}

export interface PrometheusEndpoint extends MetricsExporter {
  readonly url: string
}

const MOST_CONNECTIONS = 32
const REQUEST_LIMIT_MS = 10_000

/** Rejects with the system's error when the address cannot be used. */
export async function openPrometheus(address: PrometheusAddress): Promise<PrometheusEndpoint> {
  const registry = new Registry()
  const server = createServer((request, response) => void answer(registry, request, response))
  server.maxConnections = MOST_CONNECTIONS
  server.requestTimeout = REQUEST_LIMIT_MS
  server.headersTimeout = REQUEST_LIMIT_MS
  server.listen(address.port, address.host)
  await once(server, 'listening')
  return {
    url: urlOf(server.address() as AddressInfo),
    add: addSamples((name, metric) => adderOf(registry, name, metric)),
    close: async () => {
      await closed(server)
      return []
    },
  }
}

function adderOf(registry: Registry, name: TelemetryName, metric: TelemetryMetric): Add {
  const own = {
    name: prometheusName(name, metric),
    help: metric.help,
    labelNames: metric.labels.map(prometheusLabel),
    registers: [registry],
  }
  const named = labelCache()
  if (metric.type === 'histogram') {
    const histogram = new Histogram({ ...own, buckets: [...metric.bounds] })
    return (seconds, labels) => histogram.observe(named(labels), seconds)
  }
  const counter = metric.type === 'counter' ? new Counter(own) : new Gauge(own)
  return (value, labels) => counter.inc(named(labels), value)
}

/**
 * Translates the label names of OpenTelemetry; cached, because most sets of labels are the same
 * objects again.
 */
function labelCache(): (labels: Labels) => Record<string, string | number> {
  const cache = new WeakMap<Labels, Record<string, string | number>>()
  return (labels) => {
    const known = cache.get(labels)
    if (known !== undefined) return known
    const entries = Object.entries(labels).map(([name, value]) => [prometheusLabel(name), value])
    const named = Object.fromEntries(entries) as Record<string, string | number>
    cache.set(labels, named)
    return named
  }
}

async function answer(
  registry: Registry,
  { method, url, headers, socket }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (isForeign(headers.host, socket.localAddress)) {
    return void response.writeHead(421).end('ask for it by its own address\n')
  }
  if (url?.split('?')[0] !== '/metrics') {
    return void response.writeHead(404).end('the metrics are at /metrics\n')
  }
  if (method !== 'GET' && method !== 'HEAD') {
    return void response.writeHead(405, { allow: 'GET, HEAD' }).end()
  }
  const body = await registry.metrics()
  response.writeHead(200, { 'content-type': registry.contentType }).end(body)
}

/**
 * A page whose name was made to point to this machine (DNS rebinding) asks under its own name. An
 * address that others can reach may have any.
 */
function isForeign(host = '', localAddress = ''): boolean {
  if (!isLoopback(localAddress)) return false
  const asked = `http://${host}`
  return !URL.canParse(asked) || !isLoopback(new URL(asked).hostname)
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/metrics`
}

async function closed(server: Server): Promise<void> {
  const end = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await end
}
