/**
 * The named metrics of crewload that k6's outputs receive, and what the record of an execution
 * contributes to them.
 */
import { wrap } from '../../base/text.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { ExecutionRecord } from '../../execution/record/record.ts'
import { isUnsent } from '../../execution/record/unsent.ts'
import { recordSamples } from '../telemetry/live.ts'
import type { TelemetryMetric } from '../telemetry/metrics.ts'
import { k6Name, TELEMETRY, TELEMETRY_METRICS } from '../telemetry/metrics.ts'
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

type Tags = Readonly<Record<string, string>>

/** Adds one sample: milliseconds to a trend, a number to a counter, 1 or 0 to a rate. */
export type AddToK6 = (metric: string, value: number, tags: Tags) => void

/**
 * Returns a function that takes each record when its execution ends. Arrivals of the warm-up
 * contribute nothing, as in the result of the run.
 */
export function executionMetrics(add: AddToK6): (record: ExecutionRecord) => void {
  return (record) => {
    if (record.warmUp) return
    const { tags } = record
    addServed(add, record)
    for (const [check, passed] of Object.entries(record.checks)) {
      if (typeof passed === 'boolean') add('checks', Number(passed), { ...tags, check })
    }
    recordSamples(record, (metric, value, labels) => {
      if (!TELEMETRY[metric].k6.sent) return
      const inMs = TELEMETRY[metric].unit === 's'
      add(k6Name(metric), inMs ? value / MICROS_PER_MS : value, { ...tags, ...textOf(labels) })
    })
  }
}

/**
 * What was not sent was not measured, and what became of aborted executions is unknown, as of those
 * that still waited for a person.
 */
function addServed(add: AddToK6, { outcome, tags }: ExecutionRecord): void {
  if (isUnsent(outcome) || outcome === 'aborted' || outcome === 'paused') return
  const ended = outcome === 'completed' || outcome === 'failed'
  add('crewload_unserved', ended ? 0 : 1, tags)
  if (ended) add('crewload_failed', outcome === 'failed' ? 1 : 0, tags)
}

/** k6 accepts only text as the value of a tag. */
function textOf(labels: Readonly<Record<string, string | number>>): Tags {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]))
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
