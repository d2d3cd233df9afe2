/** Generates a Grafana dashboard, with one panel for each metric of a running run. */
import { unreachable } from '../../src/base/assert.ts'
import type { LabelName, TelemetryMetric, TelemetryName } from '../../src/host/telemetry/metrics.ts'
import { prometheusLabel, prometheusName, TELEMETRY } from '../../src/host/telemetry/metrics.ts'

export const DASHBOARD = 'docs/grafana-dashboard.json'

/**
 * A panel of the dashboard: the labels by which it is split, and what its counter is divided by.
 */
interface Panel {
  title: string
  by?: readonly LabelName[]
  /** The counter of which this one is shown as a share. */
  outOf?: TelemetryName
}

/** The panels in the order of the dashboard; the compiler reports a metric that is missing here. */
const PANELS: Record<TelemetryName, Panel> = {
  'crewload.run.info': { title: 'Run', by: ['scenario', 'engine', 'version'] },
  'crewload.executions.in_flight': { title: 'Executions in flight' },
  'crewload.executions.started': { title: 'Kickoffs sent per second' },
  'crewload.outcomes': { title: 'Arrivals per second, by outcome', by: ['outcome'] },
  'crewload.execution.duration': { title: 'Execution, intended start to known end' },
  'crewload.detection.delay': { title: 'Detection delay, upper bound' },
  'crewload.kickoff.response.duration': { title: 'Response time of kickoffs' },
  'crewload.status.response.duration': { title: 'Response time of polls' },
  'http.client.request.duration': {
    title: 'Service time of requests, by route',
    by: ['url.template'],
  },
  'crewload.requests': {
    title: 'Requests of ended executions per second, by answer',
    by: ['operation', 'answer'],
  },
  'crewload.polls.wasted': {
    title: 'Share of polls that saw no change',
    outOf: 'crewload.requests',
  },
  'crewload.lateness': { title: 'Lateness of the generator' },
  'crewload.checks': { title: 'Checks per second, by result', by: ['check', 'result'] },
  'crewload.violations': { title: 'Executions that broke the contract, per second', by: ['rule'] },
}

const QUANTILES = [0.5, 0.95, 0.99]
const WIDTH = 12
const HEIGHT = 8
const SOURCE = { type: 'prometheus', uid: '${datasource}' }

export function dashboard(): string {
  const panels = Object.entries(PANELS).map(([name, panel], i) => {
    const metric: TelemetryMetric = TELEMETRY[name as TelemetryName]
    return panelOf(name as TelemetryName, metric, panel, i)
  })
  return `${JSON.stringify(
    {
      title: 'crewload',
      uid: 'crewload',
      description: 'A load test of an AI crew while it runs, from the metrics of crewload.',
      tags: ['crewload'],
      schemaVersion: 39,
      editable: true,
      refresh: '5s',
      time: { from: 'now-15m', to: 'now' },
      templating: {
        list: [
          { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
        ],
      },
      panels,
    },
    null,
    2,
  )}\n`
}

function panelOf(name: TelemetryName, metric: TelemetryMetric, panel: Panel, i: number): object {
  const isShare = panel.outOf !== undefined
  return {
    id: i + 1,
    type: 'timeseries',
    title: panel.title,
    description: metric.help,
    datasource: SOURCE,
    gridPos: { x: (i % 2) * WIDTH, y: Math.floor(i / 2) * HEIGHT, w: WIDTH, h: HEIGHT },
    fieldConfig: {
      defaults: { unit: isShare ? 'percentunit' : unitOf(metric), min: 0 },
      overrides: [],
    },
    options: { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi' } },
    targets: queriesOf(name, metric, panel).map(({ expr, legend }, n) => ({
      refId: String.fromCodePoint('A'.codePointAt(0)! + n),
      datasource: SOURCE,
      expr,
      legendFormat: legend,
    })),
  }
}

/** Units as Grafana names them. */
function unitOf({ type, unit }: TelemetryMetric): string {
  if (unit === 's') return 's'
  return type === 'counter' ? 'cps' : 'short'
}

interface Query {
  expr: string
  legend: string
}

/** Sums over every instance that is scraped. */
function queriesOf(name: TelemetryName, metric: TelemetryMetric, panel: Panel): Query[] {
  const own = prometheusName(name, metric)
  const by = (panel.by ?? []).map(prometheusLabel)
  const legend = by.map((label) => `{{${label}}}`).join(' ')
  switch (metric.type) {
    case 'gauge':
      return [{ expr: `sum${grouped(by)} (${own})`, legend: legend || panel.title }]
    case 'counter': {
      const rate = `sum${grouped(by)} (${rateOf(own)})`
      if (panel.outOf === undefined) return [{ expr: rate, legend: legend || panel.title }]
      const whole = prometheusName(panel.outOf, TELEMETRY[panel.outOf])
      const polls = `sum (${rateOf(`${whole}{operation="status"}`)})`
      return [{ expr: `${rate} / ${polls}`, legend: panel.title }]
    }
    case 'histogram':
      return QUANTILES.map((q) => ({
        expr: `histogram_quantile(${q}, sum${grouped(['le', ...by])} (${rateOf(`${own}_bucket`)}))`,
        legend: `p${q * 100} ${legend}`.trim(),
      }))
    default:
      return unreachable(metric)
  }
}

function grouped(labels: readonly string[]): string {
  return labels.length === 0 ? '' : ` by (${labels.join(', ')})`
}

function rateOf(series: string): string {
  return `rate(${series}[$__rate_interval])`
}
