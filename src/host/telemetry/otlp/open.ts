/** OTLP over HTTP, as protobuf, with the SDK of OpenTelemetry. */
import { setTimeout as sleep } from 'node:timers/promises'
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import type { MetricsExporter } from '../exporter.ts'
import { OtlpConnection } from './connection.ts'
import { openMetrics } from './metrics.ts'
import { Traces } from './traces.ts'

/** The longest that the end of a run waits for the exporters. */
const CLOSE_WITHIN_MS = 5_000

export interface OtlpOptions {
  /** The base URL; null takes it from the environment, by default `http://localhost:4318`. */
  endpoint: URL | null
  /** The share of executions that are sent as traces, 0 to 1. */
  traces: number
  runId: string
  version: string
  env: Readonly<Record<string, string | undefined>>
}

/** Sends nothing before its first interval has passed. */
export function openOtlp({ endpoint, traces, runId, version, env }: OtlpOptions): MetricsExporter {
  const connection = new OtlpConnection(endpoint, env)
  const resource = resourceFromAttributes({
    'service.name': 'crewload',
    'service.version': version,
    'service.instance.id': runId,
  }).merge(detectResources({ detectors: [envDetector] }))
  const metrics = openMetrics(connection, resource, version, env)
  const spans = traces > 0 ? new Traces(connection, resource, version, traces) : null
  return {
    add: metrics.add,
    ...(spans === null ? {} : { saw: (line) => spans.saw(line) }),
    close: async () => {
      const patience = new AbortController()
      const flushed = Promise.allSettled([metrics.shutdown(), spans?.shutdown()])
      await Promise.race([
        flushed.finally(() => patience.abort()),
        sleep(CLOSE_WITHIN_MS, undefined, { signal: patience.signal }).catch(() => {}),
      ])
      connection.destroy()
      return [metrics.losses.told(), spans?.told() ?? null].filter((told) => told !== null)
    },
  }
}
