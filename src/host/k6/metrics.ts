/** The named metrics of crewload that k6's outputs receive. */
import type { TelemetryMetric } from '../telemetry/metrics.ts'
import { k6Name, TELEMETRY_METRICS } from '../telemetry/metrics.ts'
import { wrap } from '../../base/text.ts'
import { VARIABLES } from './variables.ts'

interface K6Metric {
  /** k6's `Trend` of times in milliseconds, `Counter` and `Rate`. */
  kind: 'trend' | 'counter' | 'rate'
  meaning: string
}

/**
 * Shares, which other systems divide themselves, but k6's thresholds cannot. `checks` is k6's own,
 * which its dashboards show.
 */
const RATES = {
  crewload_unserved: {
    kind: 'rate',
    meaning:
      'rejected, unknown, lost, stuck or unreadable, out of all that were due, not aborted, ' +
      'and not paused',
  },
  crewload_failed: { kind: 'rate', meaning: 'failed, out of completed and failed' },
  checks: { kind: 'rate', meaning: 'passed, by check' },
} as const satisfies Record<string, K6Metric>

/** Names that k6 accepts: ASCII letters, digits and `_`, at most 128. */
export const K6_METRICS: Readonly<Record<string, K6Metric>> = {
  ...Object.fromEntries(
    TELEMETRY_METRICS.flatMap(([name, metric]) =>
      metric.k6.sent ? [[k6Name(name), fromList(metric)]] : [],
    ),
  ),
  ...RATES,
}

/** k6 has gauges too, but each of its VUs would report its own value. */
function fromList({ type, help }: TelemetryMetric): K6Metric {
  const meaning = help.replace(/^[A-Z]/, (first) => first.toLowerCase()).replace(/\.$/, '')
  return { kind: type === 'histogram' ? 'trend' : 'counter', meaning }
}

/** The other variables are only used between crewload and the processes that it starts. */
const MEANINGS: Partial<Record<keyof typeof VARIABLES, string>> = {
  target: 'base URL of the crew, if the script was made without one, or to override it',
  token: 'bearer tokens, one per line, used in rotation',
  headers: 'values of the extra headers, one "name: value" per line',
  runId: 'eight hex digits, the same for all processes of one run (default: random for each)',
  startEvery:
    'seconds: arrivals begin at the next whole multiple on the wall clock (default: immediately)',
  insecure: '1 accepts any certificate',
  cert: 'a client certificate in PEM',
  key: 'its private key in PEM',
}

/** One line per variable, indented by two. */
export function variableLines(): string[] {
  const rows = Object.entries(MEANINGS).map(([key, meaning]): [string, string] => [
    VARIABLES[key as keyof typeof VARIABLES],
    meaning,
  ])
  return aligned(rows)
}

/** The same for the named metrics. */
export function metricLines(): string[] {
  const rows = Object.entries(K6_METRICS).map(([name, { kind, meaning }]): [string, string] => [
    name,
    `${kind}: ${meaning}`,
  ])
  return aligned(rows)
}

const WIDTH = 80

function aligned(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.flatMap(([name, meaning]) =>
    wrap(meaning, WIDTH, `  ${name.padEnd(width)}  `, ' '.repeat(width + 4)),
  )
}
