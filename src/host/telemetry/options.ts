/**
 * The options for exported metrics: what they need is checked before anything is started. Of the
 * standard OTEL_* variables, those are read here that the exporters themselves do not read.
 */
import { env } from 'node:process'
import type { Mistake } from '../../base/mistakes.ts'
import { UserError } from '../../base/mistakes.ts'
import type { TelemetryOptions } from './exporters.ts'
import type { PrometheusAddress } from './prometheus.ts'

/** Throws UserError with every mistake. */
export async function demandTelemetry(
  options: TelemetryOptions,
  inVirtual: boolean,
): Promise<void> {
  const mistakes = [
    ...(inVirtual ? inVirtualTime(options) : []),
    ...unreadable(options),
    ...alone(options),
    ...protocolMistakes(options),
  ]
  if (mistakes.length > 0) throw new UserError(mistakes)
}

/** Hours of virtual time pass in a second: nobody could scrape them, or place them in time. */
function inVirtualTime(options: TelemetryOptions): Mistake[] {
  const problem =
    'cannot be used with --engine virtual, whose hours pass in a moment: its metrics are in ' +
    'result.json; to watch a run, use --engine node or k6'
  return [
    ...(options.prometheus === undefined ? [] : [{ source: '--prometheus', path: '', problem }]),
    ...(options.otlp === undefined ? [] : [{ source: '--otlp', path: '', problem }]),
  ]
}

function unreadable({ prometheus, otlp }: TelemetryOptions): Mistake[] {
  const read = [
    prometheus === undefined ? null : prometheusAddress(prometheus),
    otlp === undefined ? null : otlpEndpoint(otlp),
  ]
  return read.flatMap((each) => (each !== null && 'problem' in each ? [each] : []))
}

function alone({ otlp, otlpTraces }: TelemetryOptions): Mistake[] {
  if (otlpTraces === undefined) return []
  const source = '--otlp-traces'
  const found = String(otlpTraces)
  if (!(otlpTraces >= 0 && otlpTraces <= 1)) {
    return [{ source, path: '', found, problem: 'expected a share from 0 to 1' }]
  }
  return otlp === undefined ? [{ source, path: '', found, problem: 'needs --otlp' }] : []
}

const LOOPBACK = '127.0.0.1'
const HIGHEST_PORT = 65_535

/**
 * `--prometheus [ADDRESS]`: where the endpoint listens; with `true`, on loopback at a port that the
 * system chooses. Returns a mistake for what cannot be read.
 */
export function prometheusAddress(option: string | true): PrometheusAddress | Mistake {
  if (option === true) return { host: LOOPBACK, port: 0 }
  const match = /^(?:(?<host>\[[0-9a-f:.]+\]|[^\s:/[\]]+):)?(?<port>\d{1,5})$/i.exec(option.trim())
  const port = Number(match?.groups?.['port'])
  if (match === null || port > HIGHEST_PORT) {
    return {
      source: '--prometheus',
      path: '',
      found: JSON.stringify(option),
      problem:
        'expected PORT or HOST:PORT, like 9464 or 127.0.0.1:9464, with a port from 0 to 65535 ' +
        '(0 takes any free one)',
    }
  }
  const host = match.groups?.['host']?.replace(/^\[|\]$/g, '') ?? LOOPBACK
  return { host, port }
}

/**
 * `--otlp [URL]`: the base URL; null for `true`, which leaves it to the environment. Returns a
 * mistake for what cannot be read, which is not repeated: it may hold a password.
 */
export function otlpEndpoint(option: string | true): URL | Mistake | null {
  if (option === true) return null
  const url = URL.canParse(option) ? new URL(option) : null
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url
  const problem = 'expected the base URL of a collector, like http://127.0.0.1:4318'
  return { source: '--otlp', path: '', problem }
}

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
export function tracesOf({ otlp, otlpTraces = 0 }: TelemetryOptions): number {
  return otlp === undefined || isSdkDisabled() ? 0 : otlpTraces
}

/**
 * Reports a mistake if the collector expects another protocol, since it would silently lose
 * everything.
 */
function protocolMistakes({ otlp }: TelemetryOptions): Mistake[] {
  if (otlp === undefined || isSdkDisabled()) return []
  return PROTOCOLS.flatMap((name) => {
    const found = env[name]?.trim() ?? ''
    if (found === '' || found === SUPPORTED) return []
    const problem = `crewload sends only ${SUPPORTED}: unset it, or set it to ${SUPPORTED}`
    return [{ source: name, path: '', found: JSON.stringify(found), problem }]
  })
}
