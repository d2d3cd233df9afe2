/** Generates the table of `docs/metrics-out.md` from the list of the metrics of a running run. */
import type { TelemetryMetric, TelemetryName } from '../../src/host/telemetry/metrics.ts'
import {
  k6Name,
  LABELS,
  prometheusName,
  TELEMETRY_METRICS,
} from '../../src/host/telemetry/metrics.ts'
import { wrap } from '../../src/base/wrap.ts'
import { code } from './table.ts'

export const METRICS_OUT_DOCUMENT = 'docs/metrics-out.md'

const LINE_WIDTH = 120

/**
 * Returns the document; `written` is the current one, of which all but the section `Every metric`
 * is kept.
 */
export function metricsOutDocument(written: string): string {
  return written.replace(/(?<=^## Every metric\n)[\s\S]*?(?=^## )/m, () => `\n${section()}\n\n`)
}

function section(): string {
  const head =
    'This list is generated from the code (`npm run generate`): the name for OpenTelemetry, then ' +
    'those in Prometheus and in the outputs of k6.'
  return [
    ...wrap(head, LINE_WIDTH, '', ''),
    '',
    ...TELEMETRY_METRICS.flatMap(([name, metric]) => metricLines(name, metric)),
    '',
    'The labels, each with few values whatever a target answers:',
    '',
    ...Object.entries(LABELS).flatMap(([label, meaning]) => item(`${code(label)}: ${meaning}.`)),
  ].join('\n')
}

function metricLines(name: TelemetryName, metric: TelemetryMetric): string[] {
  const { type, unit, help, labels } = metric
  const by = labels.length === 0 ? '' : ` By ${labels.map(code).join(', ')}.`
  const measured = unit === 's' ? `${type} in seconds` : type
  const elsewhere = `Prometheus ${code(prometheusName(name, metric))}; k6 ${inK6(name, metric)}.`
  return item(`${code(name)}, ${measured}: ${help}${by} ${elsewhere}`)
}

function inK6(name: TelemetryName, { k6 }: TelemetryMetric): string {
  return k6.sent ? code(k6Name(name)) : k6.instead
}

function item(text: string): string[] {
  return wrap(`- ${text}`, LINE_WIDTH, '', '  ')
}
