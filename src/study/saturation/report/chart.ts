/**
 * The curve of a ladder: throughput by connections with the knee marked, and below it the latency
 * at each rung.
 */
import type { Chart, Line, Mark, Panel } from '../../../report/charts/chart.ts'
import type { Color } from '../../../report/charts/palette.ts'
import {
  formatCount,
  formatInterval,
  formatMetric,
  NOTHING,
  plural,
} from '../../../report/frame/format.ts'
import { isTrusted } from '../analyse/rung.ts'
import type { SaturationDocument, SaturationRung } from '../document.ts'
import { ENDPOINTS } from '../document.ts'
import { rungWords } from './words.ts'

export function curveOf(document: SaturationDocument): Chart {
  const { trials, knee } = document
  return {
    id: 'curve',
    finding: finding(document),
    caption: CAPTION,
    x: {
      title: 'connections',
      kind: 'count',
      log: true,
      ticks: trials.map(({ connections }) => ({
        value: connections,
        label: formatCount(connections),
      })),
    },
    panels: [throughputPanel(document), latencyPanel(document)],
    spans: knee === null ? [] : [{ from: knee.connections, to: knee.plateauTo, label: null }],
    moments:
      knee === null
        ? []
        : [{ at: knee.connections, label: `knee ${formatCount(knee.connections)}`, color: 'grey' }],
    table: pointTable(document),
  }
}

const CAPTION =
  'Usable answers per second by connections, each sending its next request as ' +
  'soon as it is answered; whiskers are 95 % intervals (one without an upper end ' +
  'continues), hollow points do not count. ' +
  'Below, the service time of the same answers. Dashed: the values if no answer ' +
  'waited for another.'

function finding({ ceiling, knee, plan, verdict }: SaturationDocument): string {
  if (ceiling === null) {
    return `No rung can be trusted, so the ceiling of ${ENDPOINTS[plan.endpoint]} is unknown`
  }
  const how = { measured: '', inconclusive: 'about ', invalid: '' }[verdict.outcome]
  const rate = formatMetric(ceiling.throughput).replace(/\/s$/, '')
  const carried = `the ceiling is ${verdict.atLeast ? 'at least ' : how}${rate} answers per second`
  return knee === null
    ? `No knee was found; ${carried}`
    : `The knee is at ${plural(knee.connections, 'connection')}; ${carried}`
}

function throughputPanel(document: SaturationDocument): Panel {
  const { trials } = document
  return {
    y: { title: 'Usable answers per second', kind: 'count' },
    height: { narrow: 182, wide: 242 },
    lines: [
      ...asymptotes(document),
      {
        name: 'answers',
        color: 'endToEnd',
        dash: '',
        shape: 'chord',
        unnamed: true,
        points: trials.filter((rung) => isTrusted(rung)).map(pointOf),
      },
    ],
    points: [
      {
        color: 'endToEnd',
        points: trials.map(markOf),
      },
    ],
  }
}

function markOf(rung: SaturationRung): Mark {
  const { connections, throughput } = rung
  return {
    x: connections,
    y: throughput.value ?? 0,
    low: throughput.low,
    high: throughput.high,
    hollow: !isTrusted(rung),
    tip: `${plural(connections, 'connection')}: ${formatMetric(throughput)}`,
  }
}

function pointOf({ connections, throughput }: SaturationRung): { x: number; y: number } {
  return { x: connections, y: throughput.value ?? 0 }
}

/** min(N / R(1), ceiling): the asymptotic bounds of every closed loop (Denning and Buzen, 1978). */
function asymptotes({ ceiling, trials }: SaturationDocument): Line[] {
  const rate = ceiling?.throughput.value ?? null
  const meanMs = trials.find(({ connections }) => connections === 1)?.latency.meanMs ?? null
  if (rate === null || meanMs === null) return []
  const most = trials.at(-1)?.connections ?? 1
  const turn = Math.min(Math.max(1, (rate * meanMs) / 1_000), most)
  return [
    {
      name: 'bound',
      color: 'grey',
      dash: '4 4',
      shape: 'chord',
      unnamed: true,
      points: [1, turn, most].map((x) => ({ x, y: Math.min(rate, (x * 1_000) / meanMs) })),
    },
  ]
}

const QUANTILES: readonly ['p50' | 'p95' | 'p99', Color, string][] = [
  ['p50', 'service', ''],
  ['p95', 'response', '6 3'],
  ['p99', 'error', '2 3'],
]

function latencyPanel({ trials }: SaturationDocument): Panel {
  const lines = QUANTILES.map(([name, color, dash]): Line => {
    const points = trials.flatMap(({ connections, latency }) => {
      const { value } = latency[name]
      const tip = `${name} at ${plural(connections, 'connection')}: ${formatMetric(latency[name])}`
      return value === null ? [] : [{ x: connections, y: value, tip }]
    })
    return { name, color, dash, points }
  })
  return {
    y: { title: 'Service time', kind: 'duration' },
    height: { narrow: 150, wide: 150 },
    lines: lines.filter(({ points }) => points.length > 0),
  }
}

function pointTable({ trials }: SaturationDocument): Chart['table'] {
  const names = QUANTILES.map(([name]) => name)
  return {
    columns: [
      'connections',
      ...['good answers', ...names].flatMap((name) => [name, '95 % interval']),
    ],
    rows: trials.map((rung) => {
      const { connections, throughput, interval } = rungWords(rung)
      const quantiles = names.map((name) => rung.latency[name])
      const cells = quantiles.flatMap((each) => [
        formatMetric(each),
        formatInterval(each) ?? NOTHING,
      ])
      return [connections, throughput, interval, ...cells]
    }),
  }
}
