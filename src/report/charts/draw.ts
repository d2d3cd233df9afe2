/** Draws a chart: panels over one horizontal axis, for each width of the page. */
import { area as areaShape, curveStepAfter, line as lineShape } from 'd3-shape'
import { html } from '../frame/markup.ts'
import type { Markup } from '../frame/markup.ts'
import { table } from '../frame/table.ts'
import type { Chart, ChartPoint, Line, Moment, Panel, Points, ChartSpan } from './chart.ts'
import { figure } from './figure.ts'
import type { Picture } from './figure.ts'
import { fitText, spread, textWidth } from './labels.ts'
import { ink } from './palette.ts'
import { area, bar, bottomAxis, leftAxis, panelTitle, round, sideLabel } from './plot.ts'
import type { Rect, Scale } from './plot.ts'
import { horizontalAxis, verticalAxis } from './scales.ts'
import type { DrawnAxis } from './scales.ts'
import { strokeKey } from './key.ts'

export function drawChart(chart: Chart): Markup {
  const { id, finding, caption } = chart
  return figure({
    id,
    heading: finding,
    caption,
    alternative: finding,
    draw: (width) => picture(chart, width),
    table: table(
      chart.table.columns.map((title) => ({ title, kind: 'number' as const })),
      chart.table.rows,
    ),
  })
}

const LEFT_PX = 64
const RIGHT_PX = 24
const NARROW_PX = 500
const DEFAULT_HEIGHT = { narrow: 120, wide: 120 }
/** The gap between two panels: the upper one's labels and the lower one's title. */
const GAP_PX = 60
/** Room for the label of a span. */
const SPAN_LABEL_PX = 24
const TITLE_PX = 28

function picture(chart: Chart, width: number): Picture {
  const { panels, x: axis } = chart
  if (valuesOfX(chart).length === 0) {
    return { height: 40, body: html`<text class="quiet" x="0" y="24">Nothing to show.</text>` }
  }
  const right = width - RIGHT_PX - widthBeside(panels)
  const key = strokeKey(linesAbove(panels), { left: 0, right: width })
  const top = key.bottom + (labelled(chart.spans).length === 0 ? 0 : SPAN_LABEL_PX)
  const rects = stacked(panels, { left: LEFT_PX, right, top, bottom: top }, width)
  const frame = { left: LEFT_PX, right, top, bottom: rects.at(-1)?.bottom ?? top }
  const x = horizontalAxis(axis, valuesOfX(chart), [frame.left, frame.right])
  return {
    height: frame.bottom + (axis.title === '' ? 30 : 48),
    body: [
      key.body,
      (chart.spans ?? []).map((span) => drawSpan(span, x.scale, frame, rects[0] ?? frame)),
      panels.map((panel, at) => drawPanel(panel, x, rects[at] ?? frame)),
      (chart.moments ?? []).map((moment) => drawMoment(moment, x.scale, frame, rects[0] ?? frame)),
      html`<text class="quiet" x="${right}" y="${frame.bottom + 40}" text-anchor="end"
        >${axis.title}</text
      >`,
    ],
  }
}

function stacked(panels: readonly Panel[], from: Rect, width: number): Rect[] {
  let bottom = from.top - GAP_PX + TITLE_PX
  return panels.map(({ height = DEFAULT_HEIGHT }) => {
    const top = bottom + GAP_PX
    bottom = top + (width < NARROW_PX ? height.narrow : height.wide)
    return { ...from, top, bottom }
  })
}

function named({ lines }: Panel): Line[] {
  return lines.filter(({ unnamed }) => unnamed !== true)
}

function linesAbove(panels: readonly Panel[]): Line[] {
  return panels.flatMap((panel) => (panel.names === 'above' ? named(panel) : []))
}

function widthBeside(panels: readonly Panel[]): number {
  const lines = panels.flatMap((panel) => (panel.names === 'above' ? [] : named(panel)))
  return Math.max(0, ...lines.map(({ name }) => textWidth(name)))
}

function labelled(spans: readonly ChartSpan[] = []): ChartSpan[] {
  return spans.filter(({ label }) => label !== null)
}

function valuesOfX({ panels, spans = [], moments = [] }: Chart): number[] {
  const points = panels.flatMap(pointsOf)
  if (points.length === 0) return []
  const marks = [...spans.flatMap(({ from, to }) => [from, to]), ...moments.map(({ at }) => at)]
  return [...points.map(({ x }) => x), ...marks]
}

function pointsOf({ lines, points = [] }: Panel): ChartPoint[] {
  return [...lines, ...points].flatMap((each): readonly ChartPoint[] => each.points)
}

/**
 * A whisker longer than the height of the highest point would flatten the panel: the axis ends
 * before it, and before one that is as long below 0.
 */
function valuesOfY(panel: Panel): number[] {
  const values = pointsOf(panel).map(({ y }) => y)
  const ends = endsOf(panel)
  const farthest = Math.max(...values.map(Math.abs), 0)
  const highest = Math.max(...values, 0)
  const [top, bottom] = panel.y.kind === 'change' ? [2 * farthest, -2 * farthest] : [2 * highest, 0]
  return [
    ...values,
    Math.min(top, Math.max(highest, ...ends)),
    ...(bottom === 0 ? [] : [Math.max(bottom, Math.min(0, ...ends))]),
  ]
}

/** The ends of whiskers and areas. */
function endsOf({ lines, points = [] }: Panel): number[] {
  const all = [...lines, ...points].flatMap(
    (each): readonly { low?: number | null; high?: number | null }[] => each.points,
  )
  return all.flatMap(({ low, high }) => [low, high]).filter((end) => typeof end === 'number')
}

function drawPanel(panel: Panel, x: DrawnAxis, rect: Rect): Markup {
  const y = verticalAxis(panel.y, valuesOfY(panel), [rect.bottom, rect.top])
  const clipped: Scale = (value) => Math.min(rect.bottom, Math.max(rect.top, y.scale(value)))
  const lines = panel.names === 'above' ? [] : named(panel)
  const ends = lines.map(({ points }) => clipped(points.at(-1)?.y ?? 0))
  const labels = spread(ends, 16, rect.top, rect.bottom)
  const axes = [leftAxis(rect, y.ticks, y.scale), bottomAxis(rect, x.ticks, x.scale)]
  const beside = lines.map(({ name, color }, at) => {
    return sideLabel(name, color, rect.right, labels[at] ?? rect.bottom)
  })
  return html`${panelTitle({ ...rect, left: 0 }, panel.y.title)}${axes}
  ${panel.lines.map((line) => drawArea(line, x.scale, clipped))}
  ${panel.lines.map((line) => drawLine(line, x.scale, clipped))}
  ${(panel.points ?? []).map((points) => drawPoints(points, x.scale, y.scale, rect))} ${beside}`
}

function drawLine(line: Line, x: Scale, y: Scale): Markup {
  const { shape, color, dash } = line
  const points = shape === 'chord' ? chords(line.points) : [...line.points]
  const path = lineShape<ChartPoint>()
    .x((point) => x(point.x))
    .y((point) => y(point.y))
    .digits(1)
  if (shape === 'step') path.curve(curveStepAfter)
  const pattern = dash === '' ? null : html` stroke-dasharray="${dash}"`
  return html`<path
      d="${path(points) ?? ''}"
      fill="none"
      stroke="${ink(color)}"
      stroke-width="2"
      ${pattern}
    />${line.points.map(({ x: at, y: value, tip }) =>
      tip === undefined
        ? null
        : html`<circle
            cx="${round(x(at))}"
            cy="${round(y(value))}"
            r="7"
            fill="transparent"
            data-tip="${tip}"
          />`,
    )}`
}

type Ended = ChartPoint & { low: number; high: number }

/** Pale, between the ends of neighbouring points. */
function drawArea({ points, color }: Line, x: Scale, y: Scale): Markup | null {
  const ended = points.filter((point): point is Ended => point.low != null && point.high != null)
  if (ended.length < 2) return null
  const shape = areaShape<Ended>()
    .x((point) => x(point.x))
    .y0(({ low }) => y(low))
    .y1(({ high }) => y(high))
  return area(shape.digits(1)(ended), color, AREA_OPACITY)
}

const AREA_OPACITY = 0.18

const CHORD_STEPS = 12

/**
 * Points on a line that is straight in the values of a logarithmic axis, and so bent in the
 * picture.
 */
function chords(points: readonly ChartPoint[]): ChartPoint[] {
  return points.flatMap((to, at) => {
    const from = points[at - 1]
    if (from === undefined || from.x === to.x) return [to]
    return Array.from({ length: CHORD_STEPS }, (_, step) => {
      const x = from.x * (to.x / from.x) ** ((step + 1) / CHORD_STEPS)
      return { x, y: from.y + ((to.y - from.y) * (x - from.x)) / (to.x - from.x) }
    })
  })
}

function drawPoints({ color, shape, points }: Points, x: Scale, y: Scale, rect: Rect): Markup {
  return html`${points.map(({ x: value, y: height, low, high, hollow = false, tip }) => {
    const at = round(x(value))
    const whisker =
      low === null || high === null ? null : drawWhisker(at, y(low), y(high), rect, ink(color))
    const outline = contour(shape, at, round(Math.max(rect.top, y(height))))
    return html`${whisker}${outline} fill="${ink(hollow ? 'paper' : color)}" stroke="${ink(color)}"
    stroke-width="2" ${tip === undefined ? null : html` data-tip="${tip}"`} />`
  })}`
}

/** Half the diagonal of a diamond: its area is near that of a circle. */
const DIAMOND = 6

/** The beginning of an element, without its colours. */
function contour(shape: Points['shape'], x: number, y: number): Markup {
  if (shape !== 'diamond') return html`<circle cx="${x}" cy="${y}" r="4"`
  const [left, right] = [round(x - DIAMOND), round(x + DIAMOND)]
  const [top, bottom] = [round(y - DIAMOND), round(y + DIAMOND)]
  return html`<path d="M${left} ${y}L${x} ${top} ${right} ${y} ${x} ${bottom}z"`
}

/** Omits an end that lies beyond the picture. */
function drawWhisker(at: number, low: number, high: number, rect: Rect, stroke: string): Markup {
  const [from, to] = [round(Math.min(low, rect.bottom)), round(Math.max(high, rect.top))]
  const top = high < rect.top ? null : html`M${at - 4} ${to}h8`
  const bottom = low > rect.bottom ? null : html`M${at - 4} ${from}h8`
  return html`<path d="M${at} ${from}V${to}${bottom}${top}" stroke="${stroke}" />`
}

/**
 * Draws at least a hairline, however short the span is. With a label it reaches up to the label,
 * otherwise to the first panel.
 */
function drawSpan({ from, to, label }: ChartSpan, x: Scale, frame: Rect, first: Rect): Markup {
  const left = x(from)
  const right = Math.max(left + 2, x(to))
  const options = { opacity: 0.24, ...(label === null ? {} : { tip: label }) }
  const top = label === null ? first.top : frame.top
  const shade = bar({ ...frame, top, left, right }, 'grey', options)
  if (label === null) return shade
  return html`${shade}<text class="quiet" x="${round(left)}" y="${frame.top - 8}"
      >${fitText(label, frame.right + 40 - left)}</text
    >`
}

/** The label is in the first panel; in the right half it is placed to the left of the line. */
function drawMoment({ at, label, color }: Moment, x: Scale, frame: Rect, { bottom }: Rect): Markup {
  const px = round(x(at))
  const inward = px > (frame.left + frame.right) / 2
  return html`<path
      d="M${px} ${frame.top}V${frame.bottom}"
      stroke="${ink(color)}"
      stroke-dasharray="4 4"
    /><text
      class="halo strong"
      x="${px + (inward ? -6 : 6)}"
      y="${bottom - 10}"
      text-anchor="${inward ? 'end' : 'start'}"
      >${label}</text
    >`
}
