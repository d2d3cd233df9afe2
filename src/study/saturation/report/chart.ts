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
import { isTrusted } from '../analyse/visit.ts'
import type { SaturationDocument, SaturationRung } from '../document.ts'
import { ENDPOINTS } from '../document.ts'
import { kneeWords, rungWords } from './words.ts'

export function curveOf(document: SaturationDocument): Chart {
  const { rungs, knee } = document
  return {
    id: 'curve',
    finding: finding(document),
    caption: CAPTION,
    x: {
      title: 'connections',
      kind: 'count',
      log: true,
      ticks: rungs.map(({ connections }) => ({
        value: connections,
        label: formatCount(connections),
      })),
    },
    panels: [throughputPanel(document), latencyPanel(document)],
    spans:
      knee === null
        ? []
        : [{ from: knee.from, to: knee.to ?? rungs.at(-1)?.connections ?? knee.from, label: null }],
    moments: knee === null ? [] : [{ at: knee.from, label: momentWords(knee), color: 'grey' }],
    table: pointTable(document),
  }
}

function momentWords({ from, to }: NonNullable<SaturationDocument['knee']>): string {
  const until = to === null ? ' or more' : to === from ? '' : ` to ${formatCount(to)}`
  return `knee ${formatCount(from)}${until}`
}

const CAPTION =
  'Usable answers per second by connections, each sending its next request as ' +
  'soon as it is answered; whiskers are where another visit would be, with ' +
  '95 % confidence (one without an upper end continues), hollow points do not count, and the knee is shaded. ' +
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
    : `The knee: ${kneeWords(knee)}; ${carried}`
}

function throughputPanel(document: SaturationDocument): Panel {
  const { rungs } = document
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
        points: rungs.filter((rung) => isTrusted(rung)).map(pointOf),
      },
    ],
    points: [
      {
        color: 'endToEnd',
        points: rungs.map(markOf),
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
function asymptotes({ ceiling, rungs }: SaturationDocument): Line[] {
  const rate = ceiling?.throughput.value ?? null
  const meanMs = rungs.find(({ connections }) => connections === 1)?.latency.meanMs ?? null
  if (rate === null || meanMs === null) return []
  const most = rungs.at(-1)?.connections ?? 1
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

function latencyPanel({ rungs }: SaturationDocument): Panel {
  const lines = QUANTILES.map(([name, color, dash]): Line => {
    const points = rungs.flatMap(({ connections, latency }) => {
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

function pointTable({ rungs }: SaturationDocument): Chart['table'] {
  const names = QUANTILES.map(([name]) => name)
  return {
    columns: [
      'connections',
      ...['good answers', ...names].flatMap((name) => [name, '95 % interval']),
    ],
    rows: rungs.map((rung) => {
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
