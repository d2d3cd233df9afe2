/** The named metrics of crewload that k6's outputs receive. */
import { k6Name, TELEMETRY_METRICS } from '../telemetry/metrics.ts'
import { lowered, wrap } from '../../base/text.ts'
import { VARIABLES } from './variables.ts'

interface K6Metric {
  /** k6's `Trend` of times in milliseconds, `Counter` and `Rate`. */
  kind: 'trend' | 'counter' | 'rate'
  meaning: string
}

/**
 * By names that k6 accepts: ASCII letters, digits and `_`, at most 128. k6 has gauges too, but each
 * of its VUs would report its own value.
 */
export const K6_METRICS: Readonly<Record<string, K6Metric>> = {
  ...Object.fromEntries(
    TELEMETRY_METRICS.filter(([, { k6 }]) => k6.sent).map(([name, { type, help }]) => {
      const kind = type === 'histogram' ? 'trend' : 'counter'
      return [k6Name(name), { kind, meaning: lowered(help).replace(/\.$/, '') }]
    }),
  ),
  // Shares, which other systems divide themselves, but k6's thresholds cannot. `checks` is k6's
  // own, which its dashboards show.
  crewload_unserved: {
    kind: 'rate',
    meaning:
      'rejected, unknown, lost, stuck or unreadable, out of all that were due, not aborted, ' +
      'and not paused',
  },
  crewload_failed: { kind: 'rate', meaning: 'failed, out of completed and failed' },
  checks: { kind: 'rate', meaning: 'passed, by check' },
}

/** The other variables are only used between crewload and the processes that it starts. */
const MEANINGS = {
  [VARIABLES.target]: 'base URL of the crew, if the script was made without one, or to override it',
  [VARIABLES.token]: 'bearer tokens, one per line, used in rotation',
  [VARIABLES.headers]: 'values of the extra headers, one "name: value" per line',
  [VARIABLES.runId]:
    'eight hex digits, the same for all processes of one run (default: random for each)',
  [VARIABLES.startEvery]:
    'seconds: arrivals begin at the next whole multiple on the wall clock (default: immediately)',
  [VARIABLES.insecure]: '1 accepts any certificate',
  [VARIABLES.cert]: 'a client certificate in PEM',
  [VARIABLES.key]: 'its private key in PEM',
}

/** One line per variable, indented by two. */
export function variableLines(): string[] {
  return aligned(Object.entries(MEANINGS))
}

/** The same for the named metrics. */
export function metricLines(): string[] {
  const rows = Object.entries(K6_METRICS)
  return aligned(rows.map(([name, { kind, meaning }]) => [name, `${kind}: ${meaning}`]))
}

const WIDTH = 80

function aligned(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.flatMap(([name, meaning]) =>
    wrap(meaning, WIDTH, `  ${name.padEnd(width)}  `, ' '.repeat(width + 4)),
  )
}
