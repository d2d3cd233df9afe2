/**
 * The curve of a ladder: throughput by connections with the knee marked, and below it the latency
 * at each rung.
 */
import type { Chart, Line, Mark, Panel } from '../../../report/charts/chart.ts'
import type { Color } from '../../../report/charts/palette.ts'
import { formatCount, formatInterval, NOTHING, plural } from '../../../base/numbers.ts'
import { formatMetric } from '../../../result/metrics/sentences.ts'
import { isTrusted, withoutUnit } from '../analyse/visit.ts'
import type { Knee, SaturationDocument, SaturationRung } from '../document.ts'
import { ENDPOINTS } from '../document.ts'

export function curveOf(document: SaturationDocument): Chart {
  const { rungs, knee } = document
  const last = rungs.at(-1)?.connections
  return {
    id: 'curve',
    heading: heading(document),
    caption: CAPTION,
    x: {
      title: 'connections',
      kind: 'count',
      log: true,
      ticks: rungs.map(({ connections: value }) => ({ value, label: formatCount(value) })),
    },
    panels: [throughputPanel(document), latencyPanel(document)],
    spans:
      knee === null ? [] : [{ from: knee.from, to: knee.to ?? last ?? knee.from, label: null }],
    moments: knee === null ? [] : [{ at: knee.from, label: momentWords(knee), color: 'grey' }],
    table: pointTable(document),
  }
}

function momentWords({ from, to }: Knee): string {
  const until = to === null ? ' or more' : to === from ? '' : ` to ${formatCount(to)}`
  return `knee ${formatCount(from)}${until}`
}

/** `8 connections`, `from 8 to 16 connections`, or `8 connections or more`. */
export function kneeWords({ from, to }: Knee): string {
  if (to === null) return `${plural(from, 'connection')} or more`
  if (from === to) return plural(to, 'connection')
  return `from ${formatCount(from)} to ${plural(to, 'connection')}`
}

const CAPTION =
  'Usable answers per second by connections, each sending its next request as soon as it is ' +
  'answered. Whiskers are where another visit would be, with 95 % confidence; one without an ' +
  'upper end continues. Hollow points do not count. The knee is shaded. Below, the service ' +
  'time of the same answers. Dashed: the values if no answer waited for another.'

function heading({ ceiling, knee, plan, verdict }: SaturationDocument): string {
  if (ceiling === null) {
    return `No rung can be trusted, so the ceiling of ${ENDPOINTS[plan.endpoint]} is unknown`
  }
  const about = verdict.outcome === 'inconclusive' ? 'about ' : ''
  const how = verdict.atLeast ? 'at least ' : about
  const carried = `the ceiling is ${how}${formatMetric(withoutUnit(ceiling.throughput))} answers per second`
  return knee === null
    ? `No knee was found; ${carried}`
    : `The knee: ${kneeWords(knee)}; ${carried}`
}

function throughputPanel(document: SaturationDocument): Panel {
  const marks = document.rungs.map((rung): Mark => {
    const { connections, throughput } = rung
    return {
      x: connections,
      y: throughput.value ?? 0,
      low: throughput.low,
      high: throughput.high,
      hollow: !isTrusted(rung),
      tip: `${plural(connections, 'connection')}: ${formatMetric(throughput)}`,
    }
  })
  const points = marks.filter(({ hollow }) => hollow === false).map(({ x, y }) => ({ x, y }))
  return {
    y: { title: 'Usable answers per second', kind: 'count' },
    height: { narrow: 182, wide: 242 },
    lines: [...asymptotes(document), chord('answers', 'endToEnd', '', points)],
    points: [{ color: 'endToEnd', points: marks }],
  }
}

function chord(name: string, color: Color, dash: string, points: Line['points']): Line {
  return { name, color, dash, shape: 'chord', unnamed: true, points }
}

/** min(N / R(1), ceiling): the asymptotic bounds of every closed loop (Denning and Buzen, 1978). */
function asymptotes({ ceiling, rungs }: SaturationDocument): Line[] {
  const rate = ceiling?.throughput.value ?? null
  const meanMs = rungs.find(({ connections }) => connections === 1)?.latency.meanMs ?? null
  if (rate === null || meanMs === null) return []
  const most = rungs.at(-1)?.connections ?? 1
  const turn = Math.min(Math.max(1, (rate * meanMs) / 1_000), most)
  const points = [1, turn, most].map((x) => ({ x, y: Math.min(rate, (x * 1_000) / meanMs) }))
  return [chord('bound', 'grey', '4 4', points)]
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
  const columns = ['good answers', ...names].flatMap((name) => [name, '95 % interval'])
  return {
    columns: ['connections', ...columns],
    rows: rungs.map(({ connections, throughput, latency }) => [
      formatCount(connections),
      formatMetric(throughput),
      rungInterval(throughput),
      ...names.flatMap((name) => [
        formatMetric(latency[name]),
        formatInterval(latency[name], 'ms') ?? NOTHING,
      ]),
    ]),
  }
}

export function rungInterval(throughput: SaturationRung['throughput']): string {
  return formatInterval(throughput, throughput.unit) ?? NOTHING
}
