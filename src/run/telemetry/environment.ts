/** Reads those standard OTEL_* variables that the exporters themselves do not read. */
import { env } from 'node:process'
import type { Mistake } from '../../base/mistakes.ts'
import type { RunOptions } from '../options.ts'

type Asked = Pick<RunOptions, 'otlp' | 'otlpTraces'>

const SUPPORTED = 'http/protobuf'
const PROTOCOLS = [
  'OTEL_EXPORTER_OTLP_PROTOCOL',
  'OTEL_EXPORTER_OTLP_METRICS_PROTOCOL',
  'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
] as const

/** `OTEL_SDK_DISABLED=true` switches the export off, in whatever case. */
export function isSdkDisabled(): boolean {
  return env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true'
}

/** The share of executions that are sent as traces, 0 to 1. */
export function tracesOf({ otlp, otlpTraces = 0 }: Asked): number {
  return otlp === undefined || isSdkDisabled() ? 0 : otlpTraces
}

/**
 * Reports a mistake if the collector expects another protocol, since it would silently lose
 * everything.
 */
export function protocolMistakes({ otlp }: Asked): Mistake[] {
  if (otlp === undefined || isSdkDisabled()) return []
  return PROTOCOLS.flatMap((name) => {
    const found = env[name]?.trim() ?? ''
    if (found === '' || found === SUPPORTED) return []
    const problem = `crewload sends only ${SUPPORTED}: unset it, or set it to ${SUPPORTED}`
    return [{ source: name, path: '', found: JSON.stringify(found), problem }]
  })
}
