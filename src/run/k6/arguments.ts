/** The command line and the environment with which k6 is started. */
import { VARIABLES } from '../../host/k6/script/settings.ts'
import type { Environment } from './binary.ts'

/**
 * The value of `GODEBUG` by which k6 uses HTTP/1.1 over TLS too, as every other engine of crewload
 * does; the limit of connections counts sockets, not streams.
 */
export const HTTP1_ONLY = 'http2client=0'

/**
 * Flags that keep everything but the console lines quiet: no thresholds, no summary and no usage
 * report. k6 then keeps no samples, so memory stays constant, with outputs too.
 */
export const SCRIPT_FLAGS: readonly string[] = [
  '--no-color',
  '--no-thresholds',
  '--summary-mode=disabled',
  '--no-usage-report',
  '--log-format=raw',
]

/** `consoleFile` receives the lines; k6 appends to it. */
export function quietArguments(consoleFile: string): string[] {
  return ['--quiet', ...SCRIPT_FLAGS, `--console-output=${consoleFile}`]
}

export function outputArguments(outputs: readonly string[]): string[] {
  return outputs.map((output) => `--out=${output}`)
}

/** The variables that configure the destinations of k6's outputs. */
const OF_OUTPUTS =
  /^K6_(INFLUXDB|PROMETHEUS_RW|WEB_DASHBOARD|CSV|STATSD|OTEL|OPENTELEMETRY|CLOUD|AMAZON|DATADOG|ELASTICSEARCH|KAFKA|TIMESCALEDB)_/

export type Told = Partial<Record<keyof typeof VARIABLES, string>>

/**
 * Keeps the user's environment except for what would change the load: `K6_` options other than
 * those of outputs, and crewload's own variables.
 */
export function k6Environment(
  own: Environment,
  told: Told,
  authorities: string | null,
): Record<string, string> {
  const kept = Object.entries(own).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (!/^(K6_|CREWLOAD_)/.test(entry[0]) || OF_OUTPUTS.test(entry[0])),
  )
  const variables = Object.entries(told).map(([key, value]) => [
    VARIABLES[key as keyof typeof VARIABLES],
    value,
  ])
  return {
    ...Object.fromEntries(kept),
    K6_AUTO_EXTENSION_RESOLUTION: 'false',
    GODEBUG: [own['GODEBUG'], HTTP1_ONLY].filter((part) => part !== undefined).join(','),
    ...(authorities === null ? {} : { SSL_CERT_FILE: authorities }),
    ...Object.fromEntries(variables),
  }
}
