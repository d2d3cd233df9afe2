/** The tables of the metrics that a running run exports, for `docs/reference.md`. */
import type { TelemetryMetric, TelemetryName } from '../../src/host/telemetry/metrics.ts'
import {
  k6Name,
  LABELS,
  prometheusName,
  TELEMETRY_METRICS,
} from '../../src/host/telemetry/metrics.ts'
import { code, table } from './table.ts'

export function exportedMetrics(): string {
  return table(
    ['OpenTelemetry', 'Type', 'Meaning', 'Labels', 'Prometheus', 'k6'],
    TELEMETRY_METRICS.map(([name, metric]) => [
      code(name),
      metric.unit === 's' ? `${metric.type}, s` : metric.type,
      metric.help,
      metric.labels.map(code).join(', '),
      code(prometheusName(name, metric)),
      inK6(name, metric),
    ]),
  )
}

function inK6(name: TelemetryName, { k6 }: TelemetryMetric): string {
  return k6.sent ? code(k6Name(name)) : k6.instead
}

export function exportedLabels(): string {
  return table(
    ['Label', 'Value'],
    Object.entries(LABELS).map(([label, meaning]) => [code(label), meaning]),
  )
}
