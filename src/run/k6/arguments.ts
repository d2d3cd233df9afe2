/** The command line and the environment with which k6 is started. */
import { join } from 'node:path'
import type { Environment } from '../options.ts'

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

/** Matches the names of the console files. */
export const CONSOLE_FILE = /^k6-console(?:-\d+)?\.ndjson$/

export interface K6Command {
  /** The name in messages: `k6`, or `k6 process 2 of 4`. */
  name: string
  /** Takes the lines that the script prints; k6 appends to it. */
  consoleFile: string
  /** The arguments of `k6`. */
  args: readonly string[]
}

/**
 * The command lines of a run's k6 processes: a single one, or several, each with a segment of the
 * VUs. `folder` takes the console files.
 */
export function k6Commands(
  instances: number,
  { script, folder, outputs }: { script: string; folder: string; outputs: readonly string[] },
): K6Command[] {
  return Array.from({ length: instances }, (_, i): K6Command => {
    const [name, ending] =
      instances === 1 ? ['k6', ''] : [`k6 process ${i + 1} of ${instances}`, `-${i + 1}`]
    const consoleFile = join(folder, `k6-console${ending}.ndjson`)
    // Only one process could have k6's REST interface at its usual address; nobody needs it.
    const own = ['--address=', `--console-output=${consoleFile}`, ...outputArguments(outputs)]
    const segment = instances === 1 ? [] : segmentArguments(i + 1, instances)
    const args = ['run', '--quiet', ...SCRIPT_FLAGS, ...own, ...segment, script]
    return { name, consoleFile, args }
  })
}

/**
 * `--execution-segment=1/4:2/4` for the second of four. The sequence is the same for all, so k6 can
 * number VUs over all of them. The tag tells their metrics apart, as in pods of k6-operator.
 */
function segmentArguments(instance: number, instances: number): string[] {
  const cuts = Array.from({ length: instances + 1 }, (_, i) => `${i}/${instances}`)
  return [
    `--execution-segment=${cuts[instance - 1]}:${cuts[instance]}`,
    `--execution-segment-sequence=${cuts.join(',')}`,
    `--tag=instance_id=${instance}`,
  ]
}

export function outputArguments(outputs: readonly string[]): string[] {
  return outputs.map((output) => `--out=${output}`)
}

/** The variables that configure the destinations of k6's outputs. */
const OF_OUTPUTS =
  /^K6_(INFLUXDB|PROMETHEUS_RW|WEB_DASHBOARD|CSV|STATSD|OTEL|OPENTELEMETRY|CLOUD|AMAZON|DATADOG|ELASTICSEARCH|KAFKA|TIMESCALEDB)_/

/**
 * Keeps the user's environment except for what would change the load: `K6_` options other than
 * those of outputs, and crewload's own variables, which are `variables`.
 */
export function k6Environment(
  own: Environment,
  variables: Readonly<Record<string, string>>,
  authorities: string | null,
): Record<string, string> {
  const kept = Object.entries(own).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (!/^(K6_|CREWLOAD_)/.test(entry[0]) || OF_OUTPUTS.test(entry[0])),
  )
  return {
    ...Object.fromEntries(kept),
    K6_AUTO_EXTENSION_RESOLUTION: 'false',
    GODEBUG: [own['GODEBUG'], HTTP1_ONLY].filter((part) => part !== undefined).join(','),
    ...(authorities === null ? {} : { SSL_CERT_FILE: authorities }),
    ...variables,
  }
}
