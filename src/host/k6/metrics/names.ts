/** The named metrics of crewload that k6's outputs receive. */
import type {
  TelemetryMetric,
  TelemetryName,
  TelemetryType,
  Underscored,
} from '../../telemetry/metrics.ts'
import { k6Name, TELEMETRY, TELEMETRY_METRICS } from '../../telemetry/metrics.ts'

/** k6's `Trend` of times in milliseconds, `Counter` and `Rate`. */
type MetricKind = 'trend' | 'counter' | 'rate'

interface K6Metric {
  kind: MetricKind
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

type Sent = {
  [Name in TelemetryName]: (typeof TELEMETRY)[Name]['k6']['sent'] extends true ? Name : never
}[TelemetryName]

export type K6MetricName = Underscored<Sent> | keyof typeof RATES

/** Names that k6 accepts: ASCII letters, digits and `_`, at most 128. */
export const K6_METRICS: Readonly<Record<K6MetricName, K6Metric>> = {
  ...(Object.fromEntries(
    TELEMETRY_METRICS.flatMap(([name, metric]) =>
      metric.k6.sent ? [[k6Name(name), fromList(metric)]] : [],
    ),
  ) as Record<Underscored<Sent>, K6Metric>),
  ...RATES,
}

export function isSent(name: TelemetryName): name is Sent {
  return TELEMETRY[name].k6.sent
}

function fromList({ type, help }: TelemetryMetric): K6Metric {
  return {
    kind: kindOf(type),
    meaning: help.replace(/^[A-Z]/, (first) => first.toLowerCase()).replace(/\.$/, ''),
  }
}

/** k6 has gauges too, but each of its VUs would report its own value. */
function kindOf(type: TelemetryType): MetricKind {
  return type === 'histogram' ? 'trend' : 'counter'
}
