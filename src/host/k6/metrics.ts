/** The named metrics of crewload that k6's outputs receive. */
import type { TelemetryMetric } from '../telemetry/metrics.ts'
import { k6Name, TELEMETRY_METRICS } from '../telemetry/metrics.ts'

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
