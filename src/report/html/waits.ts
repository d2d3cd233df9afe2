/** Section 2: how long people wait, by percentile on a nines axis. */
import { scaleLinear } from 'd3-scale'
import { area as areaShape, line as lineShape } from 'd3-shape'
import type { DistributionResult, Metric, ResultDocument } from '../../analysis/document.ts'
import { formatMs, formatReach, isTooFew, neverNote, NOTHING } from '../format.ts'
import { cellText, findMetric } from '../summary.ts'
import { durationScale } from './duration-scale.ts'
import { figure } from './figure.ts'
import type { Picture } from './figure.ts'
import { spread } from './labels.ts'
import { html } from './markup.ts'
import type { Markup } from './markup.ts'
import { ink } from './palette.ts'
import type { Color } from './palette.ts'
import { area, bottomAxis, leftAxis, line, panelTitle, round } from './plot.ts'
import type { Rect, Scale } from './plot.ts'
import { table } from './table.ts'
import { ninesPosition, ninesTicks } from './ticks.ts'

interface Curve {
  label: string
  color: Color
  dash: string
  points: DistributionResult['quantiles']
}

interface Panel {
  title: string
  curves: Curve[]
}

const PANELS: readonly { title: string; curves: readonly [string, string, Color, string][] }[] = [
  {
    title: 'One execution',
    curves: [
      ['execution', 'end to end', 'endToEnd', ''],
      ['detectionDelay', 'until we noticed', 'extra', '6 3'],
    ],
  },
  {
    title: 'Kickoff request',
    curves: [
      ['kickoff.response', 'response', 'response', ''],
      ['kickoff.service', 'service', 'service', '6 3'],
    ],
  },
  {
    title: 'Status request',
    curves: [
      ['status.response', 'response', 'response', ''],
      ['status.service', 'service', 'service', '6 3'],
    ],
  },
]

export function renderWaits(document: ResultDocument): Markup {
  const panels = PANELS.map(({ title, curves }) => ({
    title,
    curves: curves.flatMap(([name, label, color, dash]) => {
      const points = (document.distributions[name]?.quantiles ?? []).filter(({ q }) => q >= 0.5)
      return points.length === 0 ? [] : [{ label, color, dash, points }]
    }),
  })).filter(({ curves }) => curves.length > 0)
  return html`${drawn(document, panels)}${fewValues(document)}`
}

function drawn(document: ResultDocument, panels: readonly Panel[]): Markup {
  return figure({
    id: 'waits',
    heading: finding(document),
    caption:
      'Share of executions or requests that took this long or less; each line ends where its sample ends, or where those begin who were ' +
      'never served; the band is its 95 % interval. ' +
      'Response counts from the moment a request was intended, service from the moment it was sent.',
    alternative: finding(document),
    draw: (width) => drawPanels(panels, width),
    table: quantileTable(document),
  })
}

/** The values themselves, where there are so few that quantiles say less. */
function fewValues({ distributions }: ResultDocument): Markup | null {
  const few = Object.values(distributions).filter(({ values = [] }) => values.length > 0)
  if (few.length === 0) return null
  return html`<h4>Too few for quantiles: the values themselves</h4>
    ${table(
      [{ title: 'what' }, { title: 'each value, rising' }, { title: 'unfinished', kind: 'number' }],
      few.map(({ title, values = [], censored }) => [
        title,
        values.map((value) => formatMs(value)).join(', '),
        censored,
      ]),
    )}`
}

function finding(document: ResultDocument): string {
  const [p50, p95, max] = (['p50', 'p95', 'max'] as const).map((name) =>
    findMetric(document, 'execution', name),
  )
  const { n = 0, censored = 0, never = 0 } = document.distributions['execution'] ?? {}
  if (max == null || n === censored + never) {
    return 'No execution ended, so nothing is known of waits'
  }
  const most = max.value === 'never' ? notServed(n, never) : `the longest took ${cellText(max)}`
  if (p50?.value == null) return `${hiddenMedian(p50)}; ${most}`
  if (p50.value === 'never') return `Half of the executions or more never came to an end; ${most}`
  const half = `Half of the executions took at most ${cellText(p50)} end to end`
  if (p95?.value == null || p95.value === 'never') return `${half}; ${most}`
  const rest = max.value === 'never' ? `; ${most}` : ''
  return `${half}, 95 of 100 at most ${cellText(p95)}${rest}`
}

function notServed(n: number, never: number): string {
  return neverNote({ n, never }) ?? ''
}

function hiddenMedian(p50: Metric | null | undefined): string {
  return p50 == null || isTooFew(p50)
    ? 'Too few executions for a quantile'
    : 'Half of the executions or more had no end in sight'
}

const PANEL_HEIGHT = 300

/** Side by side where there is room: the execution's panel first, as wide as the two others. */
function drawPanels(panels: readonly Panel[], width: number): Picture {
  if (panels.length === 0) {
    return {
      height: 40,
      body: html`<text class="quiet" x="0" y="24">Too few samples for a quantile.</text>`,
    }
  }
  const places = layout(panels.length, width)
  const height = Math.max(...places.map(({ bottom }) => bottom)) + 32
  return { height, body: panels.map((panel, index) => drawPanel(panel, places[index] as Rect)) }
}

/** Plot rectangles; labels need room on both sides. */
function layout(count: number, width: number): Rect[] {
  const shares = width < 500 ? [1, 1, 1] : width < 900 ? [1, 0.5, 0.5] : [0.42, 0.29, 0.29]
  let [x, y] = [0, 0]
  return shares.slice(0, count).map((share, index) => {
    if (x + share > 1.001) [x, y] = [0, y + PANEL_HEIGHT]
    const left = x * width + 60
    x += share
    return {
      left,
      top: y + 38,
      right: x * width - (index === 0 ? 130 : 108),
      bottom: y + PANEL_HEIGHT - 44,
    }
  })
}

function drawPanel({ title, curves }: Panel, rect: Rect): Markup {
  const values = curves.flatMap(({ points }) =>
    points.flatMap(({ value, low, high }) => [value, low ?? value, topOf({ value, high })]),
  )
  const y = durationScale(values, rect)
  const last = Math.max(
    ...curves.flatMap(({ points }) => points.map(({ q }) => ninesPosition(q))),
    1,
  )
  const x = scaleLinear([0, last], [rect.left, rect.right])
  const ends = curves.map(({ points }) => y.scale(points.at(-1)?.value ?? 0))
  const labels = spread(ends, 34, rect.top + 8, rect.bottom - 22)
  return html`${panelTitle({ ...rect, left: rect.left - 60 }, title)}
  ${leftAxis(rect, y.ticks, y.scale)}${bottomAxis(rect, ninesTicks(last), x)}
  ${curves.map((curve) => drawCurve(curve, x, y.scale))}
  ${curves.map((curve, index) => endLabel(curve, { x, y: y.scale, labelY: labels[index] ?? 0 }))}`
}

type Point = Curve['points'][number]

/** Where the band ends: nothing can be drawn beyond the last that ended. */
function topOf({ value, high }: Pick<Point, 'value' | 'high'>): number {
  return typeof high === 'number' ? high : value
}

function drawCurve({ points, color, dash }: Curve, x: Scale, y: Scale): Markup {
  const shown = points.filter(({ low, high }) => low !== null && high !== null)
  const band = areaShape<Point>()
    .x(({ q }) => x(ninesPosition(q)))
    .y0(({ low, value }) => y(low ?? value))
    .y1((point) => y(topOf(point)))
  const path = lineShape<Point>()
    .x(({ q }) => x(ninesPosition(q)))
    .y(({ value }) => y(value))
  return html`${area(band.digits(1)(shown), color, 0.18)}${line(path.digits(1)(points), color, dash)}
  ${points.map(({ q, value }) => html`<circle cx="${round(x(ninesPosition(q)))}" cy="${round(y(value))}" r="7" fill="transparent" data-tip="${percentile(q)}: ${formatMs(value)}" />`)}`
}

/** Name and last value, with a thin leader where the label had to move. */
function endLabel(curve: Curve, place: { x: Scale; y: Scale; labelY: number }): Markup {
  const end = curve.points.at(-1)
  if (end === undefined) return html``
  const [endX, endY] = [place.x(ninesPosition(end.q)), place.y(end.value)]
  const labelX = endX + 12
  return html`<circle cx="${round(endX)}" cy="${round(endY)}" r="3.5" fill="${ink(curve.color)}" />
    <path
      d="M${round(endX + 4)} ${round(endY)}L${round(labelX)} ${round(place.labelY)}"
      stroke="${ink(curve.color)}"
      fill="none"
    />
    <text class="halo" x="${round(labelX + 4)}" y="${round(place.labelY + 4)}"
      >${curve.label}<tspan class="quiet" x="${round(labelX + 4)}" dy="15"
        >${percentile(end.q)} ${formatMs(end.value)}</tspan
      ></text
    >`
}

function percentile(q: number): string {
  return `p${Number((q * 100).toFixed(4))}`
}

function quantileTable(document: ResultDocument): Markup {
  const rows = Object.entries(document.distributions).flatMap(([name, { n, quantiles }]) =>
    quantiles.map(({ q, value, low, high }) => [
      name,
      percentile(q),
      formatMs(value),
      low === null ? NOTHING : formatMs(low),
      high === null ? NOTHING : formatReach(high, 'ms'),
      n,
    ]),
  )
  return table(
    [
      { title: 'distribution' },
      { title: 'quantile', kind: 'number' },
      { title: 'value', kind: 'number' },
      { title: '95 % from', kind: 'number' },
      { title: 'to', kind: 'number' },
      { title: 'samples', kind: 'number' },
    ],
    rows,
    'Nothing was measured.',
  )
}
