/** The curve of a ladder: throughput by connections with the knee marked, and below it the latency that is paid for it. */
import { scaleLinear, scaleLog } from 'd3-scale'
import { line as lineShape } from 'd3-shape'
import type { Quantity } from '../../../analysis/document.ts'
import { ENDPOINTS } from '../document.ts'
import type { SaturationDocument, SaturationRung } from '../document.ts'
import { isTrusted } from '../analyse/rung.ts'
import {
  formatCount,
  formatInterval,
  formatMetric,
  NOTHING,
  plural,
} from '../../../report/frame/format.ts'
import { durationScale } from '../../../report/charts/duration-scale.ts'
import { figure } from '../../../report/charts/figure.ts'
import type { Picture } from '../../../report/charts/figure.ts'
import { spread } from '../../../report/charts/labels.ts'
import { html } from '../../../report/frame/markup.ts'
import type { Markup } from '../../../report/frame/markup.ts'
import { ink } from '../../../report/charts/palette.ts'
import type { Color } from '../../../report/charts/palette.ts'
import { bottomAxis, leftAxis, line, panelTitle, round } from '../../../report/charts/plot.ts'
import type { Rect, Scale } from '../../../report/charts/plot.ts'
import { table } from '../../../report/frame/table.ts'
import { rungRows } from './summary.ts'

export function renderCurve(document: SaturationDocument): Markup {
  const heading = finding(document)
  return figure({
    id: 'curve',
    heading,
    caption: CAPTION,
    alternative: heading,
    draw: (width) => draw(document, width),
    table: pointTable(document),
  })
}

const CAPTION =
  'Good answers a second by connections, each asking again as soon as it is answered; whiskers are 95 % intervals (one without an upper end goes on), hollow points do not count. ' +
  'Below, the service time of the same answers. Dashed: what there would be if no answer waited for another.'

function finding({ ceiling, knee, run, verdict }: SaturationDocument): string {
  if (ceiling === null) {
    return `No rung can be trusted, so nothing is known of the ceiling of ${ENDPOINTS[run.endpoint]}`
  }
  const how = { measured: '', inconclusive: 'about ', invalid: '' }[verdict.outcome]
  const rate = formatMetric(ceiling.throughput).replace(/\/s$/, '')
  const carried = `the ceiling is ${verdict.atLeast ? 'at least ' : how}${rate} answers a second`
  return knee === null
    ? `No knee was found; ${carried}`
    : `The knee is at ${plural(knee.connections, 'connection')}; ${carried}`
}

interface Frame {
  document: SaturationDocument
  x: Scale
  rect: Rect
}

function draw(document: SaturationDocument, width: number): Picture {
  const { rungs } = document
  if (rungs.length === 0) {
    const body = html`<text class="quiet" x="0" y="24">No rung came to its end.</text>`
    return { height: 40, body }
  }
  const [left, right] = [64, width - 56]
  const upper = { left, top: 38, right, bottom: width < 500 ? 220 : 280 }
  const lower = { left, top: upper.bottom + 84, right, bottom: upper.bottom + 84 + 150 }
  const x = connectionScale(rungs, upper)
  return {
    height: lower.bottom + 48,
    body: [
      throughputPanel({ document, x, rect: upper }),
      latencyPanel({ document, x, rect: lower }),
      html`<text class="quiet" x="${right}" y="${lower.bottom + 40}" text-anchor="end"
        >connections</text
      >`,
    ],
  }
}

/** Logarithmic: a ladder doubles. */
function connectionScale(rungs: readonly SaturationRung[], { left, right }: Rect): Scale {
  const counts = rungs.map(({ connections }) => connections)
  const [least, most] = [Math.min(...counts), Math.max(...counts)]
  if (least === most) return () => (left + right) / 2
  return scaleLog([least, most], [left + 12, right - 12])
}

function xTicks(rungs: readonly SaturationRung[]): { value: number; label: string }[] {
  return rungs.map(({ connections }) => ({ value: connections, label: formatCount(connections) }))
}

function throughputPanel(frame: Frame): Markup {
  const { document, x, rect } = frame
  const { rungs } = document
  const y = scaleLinear([0, topOf(rungs)], [rect.bottom, rect.top])
  const ticks = y.ticks(5).map((value) => ({ value, label: formatCount(value) }))
  const points = chords(rungs.filter((rung) => isTrusted(rung)).map(pointOf))
  const path = lineShape<Point>()
    .x(({ n }) => x(n))
    .y(({ rate }) => y(rate))
  return html`${panelTitle({ ...rect, left: 0 }, 'Good answers a second')}
  ${leftAxis(rect, ticks, y)}${bottomAxis(rect, xTicks(rungs), x)}
  ${kneeMark(frame)}${asymptotes(frame, y)}
  ${line(path.digits(1)(points), 'endToEnd')}${rungs.map((rung) => pointMark(rung, x, y, rect))}`
}

/** A whisker longer than the highest point is high would flatten the curve: it is cut there. */
function topOf(rungs: readonly SaturationRung[]): number {
  const highest = Math.max(...rungs.map(({ throughput: { value } }) => value ?? 0), 1e-9)
  const whiskers = rungs.map(({ throughput: { high } }) => high ?? 0)
  return 1.08 * Math.min(2 * highest, Math.max(highest, ...whiskers))
}

/** So many connections, and the good answers a second that they got. */
interface Point {
  n: number
  rate: number
}

function pointOf({ connections, throughput }: SaturationRung): Point {
  return { n: connections, rate: throughput.value ?? 0 }
}

const CHORD_STEPS = 12

/** Straight in the number of connections, so bent on its logarithm: else the curve would lie above its own upper bound between two rungs. */
function chords(points: readonly Point[]): Point[] {
  return points.flatMap((to, at) => {
    const from = points[at - 1]
    if (from === undefined || from.n === to.n) return [to]
    return Array.from({ length: CHORD_STEPS }, (_, step) => {
      const n = from.n * (to.n / from.n) ** ((step + 1) / CHORD_STEPS)
      return { n, rate: from.rate + ((to.rate - from.rate) * (n - from.n)) / (to.n - from.n) }
    })
  })
}

/** A band from the knee to the end of the plateau, and the knee itself with its name. */
function kneeMark({ document: { knee }, x, rect }: Frame): Markup | null {
  if (knee === null) return null
  const [from, to] = [round(x(knee.connections)), round(x(knee.plateauTo))]
  const inward = from > (rect.left + rect.right) / 2
  return html`<rect
      x="${from}"
      y="${rect.top}"
      width="${Math.max(0, to - from)}"
      height="${rect.bottom - rect.top}"
      fill="${ink('soft')}"
    />
    <path d="M${from} ${rect.top}V${rect.bottom}" stroke="${ink('grey')}" />
    <text
      class="halo strong"
      x="${from + (inward ? -8 : 8)}"
      y="${rect.bottom - 12}"
      text-anchor="${inward ? 'end' : 'start'}"
      >knee ${formatCount(knee.connections)}</text
    >`
}

/** min(N / R(1), ceiling): the bounds within which every closed loop lies (Denning and Buzen, 1978). */
function asymptotes({ document: { ceiling, rungs }, x, rect }: Frame, y: Scale): Markup | null {
  const rate = ceiling?.throughput.value ?? null
  const meanMs = rungs.find(({ connections }) => connections === 1)?.latency.meanMs ?? null
  if (rate === null || meanMs === null) return null
  const most = rungs.at(-1)?.connections ?? 1
  const turn = Math.min(Math.max(1, (rate * meanMs) / 1_000), most)
  const bound = chords([
    { n: 1, rate: Math.min(rate, 1_000 / meanMs) },
    { n: turn, rate: Math.min(rate, (turn * 1_000) / meanMs) },
    { n: most, rate: Math.min(rate, (most * 1_000) / meanMs) },
  ])
  const path = lineShape<Point>()
    .x(({ n }) => x(n))
    .y(({ rate: value }) => Math.max(rect.top, y(value)))
  return html`<path
    d="${path.digits(1)(bound) ?? ''}"
    fill="none"
    stroke="${ink('grey')}"
    stroke-dasharray="4 4"
  />`
}

function pointMark(rung: SaturationRung, x: Scale, y: Scale, rect: Rect): Markup {
  const { connections, throughput } = rung
  const at = round(x(connections))
  const { low, high, value } = throughput
  const whisker = low === null || high === null ? null : whiskerMark(at, y(low), y(high), rect.top)
  return html`${whisker}<circle
      cx="${at}"
      cy="${round(y(value ?? 0))}"
      r="4"
      fill="${ink(isTrusted(rung) ? 'endToEnd' : 'paper')}"
      stroke="${ink('endToEnd')}"
      stroke-width="2"
      data-tip="${plural(connections, 'connection')}: ${formatMetric(throughput)}"
    />`
}

/** Without its upper end where it goes on beyond the picture. */
function whiskerMark(at: number, low: number, high: number, top: number): Markup {
  const [from, to] = [round(low), round(Math.max(high, top))]
  const end = high < top ? null : html`M${at - 4} ${to}h8`
  return html`<path
    d="M${at} ${from}V${to}M${at - 4} ${from}h8${end}"
    stroke="${ink('endToEnd')}"
  />`
}

const QUANTILES: readonly ['p50' | 'p95' | 'p99', Color, string][] = [
  ['p50', 'service', ''],
  ['p95', 'response', '6 3'],
  ['p99', 'error', '2 3'],
]

function latencyPanel({ document: { rungs }, x, rect }: Frame): Markup {
  const curves = QUANTILES.map(([name, color, dash]) => ({
    name,
    color,
    dash,
    points: rungs.flatMap(({ connections, latency }) => {
      const { value } = latency[name]
      return value === null ? [] : [{ connections, value, metric: latency[name] }]
    }),
  })).filter(({ points }) => points.length > 0)
  const y = durationScale(
    curves.flatMap(({ points }) => points.map(({ value }) => value)),
    rect,
  )
  const path = lineShape<{ connections: number; value: number; metric: Quantity }>()
    .x(({ connections }) => x(connections))
    .y(({ value }) => y.scale(value))
  const ends = curves.map(({ points }) => y.scale(points.at(-1)?.value ?? 0))
  const labels = spread(ends, 16, rect.top, rect.bottom)
  return html`${panelTitle({ ...rect, left: 0 }, 'Service time')}
  ${leftAxis(rect, y.ticks, y.scale)}${bottomAxis(rect, xTicks(rungs), x)}
  ${curves.map(({ name, color, dash, points }, index) => {
    const endX = x(points.at(-1)?.connections ?? 1)
    return html`${line(path.digits(1)(points), color, dash)}
      ${points.map(({ connections, value, metric }) => html`<circle cx="${round(x(connections))}" cy="${round(y.scale(value))}" r="3" fill="${ink(color)}" data-tip="${name} at ${plural(connections, 'connection')}: ${formatMetric(metric)}" />`)}
      <text class="halo" x="${round(endX + 10)}" y="${round((labels[index] ?? 0) + 4)}"
        >${name}</text
      >`
  })}`
}

const NAMES = QUANTILES.map(([name]) => name)

function pointTable(document: SaturationDocument): Markup {
  const rows = rungRows(document).map(({ rung, connections, throughput, interval }) => {
    const quantiles = NAMES.map((name) => rung.latency[name])
    const cells = quantiles.flatMap((each) => [formatMetric(each), formatInterval(each) ?? NOTHING])
    return [connections, throughput, interval].concat(cells)
  })
  const titles = ['good answers', ...NAMES].flatMap((name) => [name, '95 % interval'])
  return table(
    ['connections', ...titles].map((title) => ({ title, kind: 'number' })),
    rows,
    'No rung came to its end.',
  )
}
