/** Draws a chart: plots of panels over one horizontal axis each, for each width of the page. */
import { area as areaShape, curveStepAfter, line as lineShape } from 'd3-shape'
import { html } from '../text/markup.ts'
import type { Markup } from '../text/markup.ts'
import { hasMarks } from './chart.ts'
import type {
  Cell,
  Chart,
  ChartPoint,
  ChartSpan,
  Drawing,
  Gap,
  Line,
  LinePoint,
  Moment,
  Panel,
  Picture,
  Plot,
  Points,
} from './chart.ts'
import { strokeKey } from './key.ts'
import { drawLanes, lanesHeight } from './lanes.ts'
import { ink } from './palette.ts'
import type { Color } from './palette.ts'
import {
  area,
  bar,
  bottomAxis,
  fitText,
  leftAxis,
  panelTitle,
  round,
  stroke,
  spread,
  textWidth,
} from './plot.ts'
import type { Rect, Scale } from './plot.ts'
import { horizontalAxis, verticalAxis } from './scales.ts'
import type { DrawnAxis } from './scales.ts'

export function drawChart(chart: Chart): Drawing {
  return { ...chart, draw: (width) => picture(chart, width) }
}

const LEFT_PX = 64
const RIGHT_PX = 24
const NARROW_PX = 500
/** A plot that ends further left is of a picture for windows in which nobody hovers. */
const HOVERED_PX = 700
/** Of more cells, none is large enough to point at. */
const CELLS_WITH_TIPS = 1_500
const DEFAULT_HEIGHT = { narrow: 120, wide: 120 }
/** The gap between two panels: the upper one's labels and the lower one's title. */
const GAP_PX = 60
/** Room for the label of a span. */
const SPAN_LABEL_PX = 24
const TITLE_PX = 28
/** The gap between two plots, in either direction. */
const GUTTER_PX = 16

function picture(chart: Chart, width: number): Picture {
  const isNarrow = width < NARROW_PX
  const first = (isNarrow ? chart.narrow : undefined) ?? chart
  const plots = [first, ...(chart.beside ?? [])].filter(hasMarks)
  const shares = sharesOf(plots.length, width)
  let [from, top, bottom] = [0, 0, 0]
  const body = plots.map((plot, at) => {
    const share = shares[at] ?? 1
    if (from + share > 1.001) [from, top] = [0, bottom + GUTTER_PX]
    const left = from * width + (from === 0 ? 0 : GUTTER_PX)
    from += share
    const drawn = drawPlot(plot, { left, top, right: from * width, bottom: top }, isNarrow)
    bottom = Math.max(bottom, top + drawn.height)
    return drawn.body
  })
  return { height: bottom, body }
}

/** What each plot has of the width: side by side where there is room. */
function sharesOf(count: number, width: number): number[] {
  if (width < NARROW_PX || count === 1) return []
  return width < 900 && count === 3 ? [1, 0.5, 0.5] : Array.from({ length: count }, () => 1 / count)
}

function drawPlot(plot: Plot, place: Rect, isNarrow: boolean): Picture {
  const { panels, x: axis, lanes = [], spans = [], moments = [] } = plot
  const left = place.left + LEFT_PX
  const right = place.right - RIGHT_PX - widthBeside(panels)
  const key = strokeKey(linesAbove(panels), place)
  const isLabelled = spans.some(({ label }) => label !== null)
  const top = key.bottom + (isLabelled ? SPAN_LABEL_PX : 0)
  const rects = stacked(panels, { left, right, top, bottom: top }, isNarrow)
  const first = rects[0] ?? place
  const last = rects.at(-1) ?? place
  const bottom = lanes.reduce((sum, group) => sum + lanesHeight(group), last.bottom)
  const frame = { left, right, top, bottom }
  const x = horizontalAxis(axis, valuesOfX(plot), [left, right])
  let lanesTop = last.bottom
  const below = lanes.map((group) => {
    const drawn = drawLanes(group, { x: x.scale, left, right, width: place.right, top: lanesTop })
    lanesTop += lanesHeight(group)
    return drawn
  })
  const axes = rects.map((rect) =>
    bottomAxis(rect === last ? { ...rect, bottom } : rect, x.ticks, x.scale),
  )
  return {
    height: bottom + (axis.title === '' ? 30 : 48) - place.top,
    body: [
      key.body,
      drawSpans(spans, x.scale, frame, first),
      axes,
      panels.map((panel, at) => drawPanel(panel, x, rects[at] ?? frame, place.left)),
      below,
      moments.map((moment) => drawMoment(moment, x.scale, frame, first)),
      html`<text class="quiet" x="${right}" y="${bottom + 40}" text-anchor="end"
        >${axis.title}</text
      >`,
    ],
  }
}

function quiet(text: string | null, x: number, y: number): Markup {
  return html`<text class="quiet" x="${round(x)}" y="${y}">${text}</text>`
}

function stacked(panels: readonly Panel[], from: Rect, isNarrow: boolean): Rect[] {
  let bottom = from.top - GAP_PX + TITLE_PX
  return panels.map(({ height = DEFAULT_HEIGHT }) => {
    const top = bottom + GAP_PX
    bottom = top + (isNarrow ? height.narrow : height.wide)
    return { ...from, top, bottom }
  })
}

function named({ lines }: Panel): Line[] {
  return lines.filter(({ unnamed }) => unnamed !== true)
}

function linesAbove(panels: readonly Panel[]): Line[] {
  return panels.flatMap((panel) => (panel.names === 'above' ? named(panel) : []))
}

function linesBeside(panel: Panel): Line[] {
  return panel.names === 'above' ? [] : named(panel)
}

function widthBeside(panels: readonly Panel[]): number {
  const texts = panels.flatMap(linesBeside).flatMap(({ name, end = '' }) => [name, end])
  return Math.max(0, ...texts.map(textWidth))
}

function valuesOfX({ panels, spans = [], moments = [] }: Plot): number[] {
  const points = panels.flatMap((panel) => [
    ...pointsOf(panel),
    ...panel.lines.flatMap(({ endlessFrom: at }) => (at === undefined ? [] : { x: at, y: 0 })),
  ])
  if (points.length === 0) return []
  const marks = [...spans.flatMap(({ from, to }) => [from, to]), ...moments.map(({ at }) => at)]
  return [...points.map(({ x }) => x), ...marks]
}

function pointsOf({ lines, points = [], cells = [] }: Panel): Pick<ChartPoint, 'x' | 'y'>[] {
  return [
    ...[...lines, ...points].flatMap((each): readonly ChartPoint[] => each.points),
    ...cells.flatMap(({ from, to }) => [from, to]),
  ]
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

function drawPanel(panel: Panel, x: DrawnAxis, rect: Rect, left: number): Markup {
  const y = verticalAxis(panel.y, valuesOfY(panel), [rect.bottom, rect.top])
  const clipped: Scale = (value) => Math.min(rect.bottom, Math.max(rect.top, y.scale(value)))
  const { lines, points = [], cells = [] } = panel
  return html`${panelTitle({ ...rect, left }, panel.y.title)}${leftAxis(rect, y.ticks, y.scale)}
  ${drawCells(cells, x.scale, clipped, rect.right < HOVERED_PX)}
  ${lines.map((line) => drawArea(line, x.scale, clipped))}
  ${lines.map((line) => drawLine(line, x.scale, clipped))}
  ${points.map((each) => drawPoints(each, x.scale, y.scale, rect))}
  ${panel.gap === undefined ? null : drawGap(panel.gap, x.scale, clipped)}
  ${namesBeside(linesBeside(panel), x.scale, clipped, rect)}`
}

/**
 * There are thousands of them: what all have in common is there once. Only the widest picture has a
 * tip for each, if they are not too many; in the others, those of one shade are one path.
 */
function drawCells(cells: readonly Cell[], x: Scale, y: Scale, isPlain: boolean): Markup | null {
  if (cells.length === 0) return null
  const drawn = cells.map(({ from, to, opacity, tip }) => {
    const [left, right] = [tenths(x(from.x)), tenths(x(to.x))]
    const [top, bottom] = [tenths(y(to.y)), tenths(y(from.y))]
    return { left, top, width: tenths(right - left), height: tenths(bottom - top), opacity, tip }
  })
  if (!isPlain && cells.length <= CELLS_WITH_TIPS) {
    const rects = drawn.map(
      ({ left, top, width, height, opacity, tip }) =>
        html`<rect
          x="${left}"
          y="${top}"
          width="${width}"
          height="${height}"
          opacity="${opacity}"
          data-tip="${tip}"
        />`,
    )
    return html`<g fill="${ink('endToEnd')}">${rects}</g>`
  }
  const shades = new Map<number, string>()
  for (const { left, top, width, height, opacity } of drawn) {
    const path = `M${left} ${top}h${width}v${height}h${-width}z`
    shades.set(opacity, (shades.get(opacity) ?? '') + path)
  }
  const paths = [...shades].map(
    ([opacity, path]) => html`<path d="${path}" opacity="${opacity}" />`,
  )
  return html`<g fill="${ink('endToEnd')}">${paths}</g>`
}

function tenths(value: number): number {
  return Math.round(10 * value) / 10
}

function drawLine(line: Line, x: Scale, y: Scale): Markup {
  const { shape, color, dash } = line
  const points = shape === 'chord' ? chords(line.points) : [...line.points]
  const path = lineShape<ChartPoint>()
    .x((point) => x(point.x))
    .y((point) => y(point.y))
    .digits(1)
  if (shape === 'step') path.curve(curveStepAfter)
  return html`${stroke(path(points), color, dash)}${line.points.map(({ x: at, y: value, tip }) =>
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

type BoundedPoint = LinePoint & { low: number; high: number }

/** Pale, between the ends of neighbouring points. */
function drawArea({ points, color, shape }: Line, x: Scale, y: Scale): Markup | null {
  const ended = points.filter(
    (point): point is BoundedPoint => point.low != null && point.high != null,
  )
  if (ended.length < 2) return null
  const path = areaShape<BoundedPoint>()
    .x((point) => x(point.x))
    .y0(({ low }) => y(low))
    .y1(({ high }) => y(high))
    .digits(1)
  if (shape === 'step') path.curve(curveStepAfter)
  return area(path(ended), color, AREA_OPACITY)
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

/** To the right of the plot, each as near to the end of its line as the others allow. */
function namesBeside(lines: readonly Line[], x: Scale, y: Scale, rect: Rect): Markup[] {
  const gap = lines.some(({ end }) => end !== undefined) ? 34 : 16
  const ends = lines.map(({ points, endlessFrom }) => {
    const last = points.at(-1)
    return {
      x: x(endlessFrom ?? last?.x ?? 0),
      y: last === undefined ? rect.bottom : y(last.y),
    }
  })
  const heights = spread(
    ends.map((end) => end.y),
    gap,
    rect.top,
    rect.bottom,
  )
  return lines.map(({ name, color, end, endlessFrom }, at) => {
    const [from, height] = [ends[at]!, heights[at] ?? rect.bottom]
    if (end === undefined) return html`${nameAt(rect.right, height, name, color, '')}`
    const leader = `M${round(from.x)} ${round(from.y)}L${round(rect.right + 8)} ${round(height)}`
    return html`${endlessFrom === undefined ? null : arrowUp(from, rect, color, end)}
      <circle cx="${round(from.x)}" cy="${round(from.y)}" r="3.5" fill="${ink(color)}" />
      <path d="${leader}" stroke="${ink(color)}" fill="none" />
      ${nameAt(rect.right, height, name, color, end)}`
  })
}

/** A stroke and the name of a line, and below it what its end is in words. */
function nameAt(right: number, y: number, name: string, color: Color, end: string): Markup {
  const x = right + 16
  const below =
    end === '' ? null : html`<tspan class="quiet" x="${round(x)}" dy="15">${end}</tspan>`
  return html`<path
      d="M${round(right + 4)} ${round(y)}h8"
      stroke="${ink(color)}"
      stroke-width="2"
    /><text class="halo" x="${round(x)}" y="${round(y + 4)}">${name}${below}</text>`
}

const ARROW_PX = 28

/** Straight up from the last point of a line. */
function arrowUp(from: { x: number; y: number }, { top }: Rect, color: Color, tip: string): Markup {
  const [x, y] = [round(from.x), round(from.y)]
  const head = round(Math.max(top - 9, y - ARROW_PX))
  return html`<path
      d="M${x} ${y}V${head + 9}"
      stroke="${ink(color)}"
      stroke-width="2"
      stroke-dasharray="2 3"
      data-tip="${tip}"
    /><path d="M${x - 5} ${head + 9}h10l-5 -9z" fill="${ink(color)}" />`
}

const NAMES_GAP_PX = 12

/**
 * A span with a label reaches up to the label, which stands at the first span of that name with
 * enough room; another reaches to the first panel. One of no length becomes a dashed line.
 */
function drawSpans(spans: readonly ChartSpan[], x: Scale, frame: Rect, first: Rect): Markup[] {
  const labels = new Set<string>()
  const end = frame.right + RIGHT_PX
  let free = frame.left
  return spans
    .toSorted((a, b) => a.from - b.from)
    .map(({ from, to, label }) => {
      const [left, right] = [x(from), Math.min(frame.right, x(to))]
      const top = label === null ? first.top : frame.top
      const shade = drawSpan({ ...frame, top, left, right }, label)
      if (label === null) return shade
      const name = fitText(label, end - frame.left) ?? ''
      const at = Math.min(left, end - textWidth(name))
      if (labels.has(name) || at < free) return shade
      labels.add(name)
      free = at + textWidth(name) + NAMES_GAP_PX
      return html`${shade}${quiet(name, at, frame.top - 8)}`
    })
}

function drawSpan(rect: Rect, label: string | null): Markup {
  const tip = label === null ? {} : { tip: label }
  if (rect.right - rect.left >= 1) return bar(rect, 'grey', { opacity: 0.2, ...tip })
  return html`<path
    d="M${round(rect.left)} ${rect.top}V${rect.bottom}"
    stroke="${ink('grey')}"
    stroke-dasharray="2 3"
    data-tip="${label}"
  />`
}

/** The label is in the first panel; in the right half it is placed to the left of the line. */
function drawMoment({ at, label, color }: Moment, x: Scale, frame: Rect, first: Rect): Markup {
  const px = round(x(at))
  const inward = px > (frame.left + frame.right) / 2
  return html`<path
      d="M${px} ${label === '' ? first.top : frame.top}V${frame.bottom}"
      stroke="${ink(color)}"
      stroke-dasharray="4 4"
    /><text
      class="halo strong"
      x="${px + (inward ? -6 : 6)}"
      y="${first.bottom - 10}"
      text-anchor="${inward ? 'end' : 'start'}"
      >${label}</text
    >`
}

function drawPoints({ color, shape, points }: Points, x: Scale, y: Scale, rect: Rect): Markup {
  return html`${points.map(({ x: value, y: height, low, high, hollow = false, tip }) => {
    const at = round(x(value))
    const whisker =
      low === null || high === null ? null : drawWhisker(at, y(low), y(high), rect, ink(color))
    const outline = contour(shape, at, round(Math.max(rect.top, y(height))))
    const paint =
      shape === 'grain'
        ? html` fill="${ink(color)}" fill-opacity="0.4"`
        : html` fill="${ink(hollow ? 'paper' : color)}" stroke="${ink(color)}" stroke-width="2"`
    return html`${whisker}${outline}${paint}${tip === undefined ? null : html` data-tip="${tip}"`}
    />`
  })}`
}

/** Half the diagonal of a diamond: its area is near that of a circle. */
const DIAMOND = 6

/** The beginning of an element, without its colours. */
function contour(shape: Points['shape'], x: number, y: number): Markup {
  if (shape === 'tick') return html`<path d="M${x} ${round(y - 5)}v10"`
  if (shape === 'cross') return html`<path d="M${x - 4} ${round(y - 4)}l8 8m0 -8l-8 8"`
  if (shape !== 'diamond') return html`<circle cx="${x}" cy="${y}" r="${shape === 'grain' ? 3 : 4}"`
  const [left, right] = [round(x - DIAMOND), round(x + DIAMOND)]
  const [top, bottom] = [round(y - DIAMOND), round(y + DIAMOND)]
  return html`<path d="M${left} ${y}L${x} ${top} ${right} ${y} ${x} ${bottom}z"`
}

/** Omits an end that lies beyond the picture. */
function drawWhisker(at: number, low: number, high: number, rect: Rect, color: string): Markup {
  const [from, to] = [round(Math.min(low, rect.bottom)), round(Math.max(high, rect.top))]
  const top = high < rect.top ? null : html`M${at - 4} ${to}h8`
  const bottom = low > rect.bottom ? null : html`M${at - 4} ${from}h8`
  return html`<path d="M${at} ${from}V${to}${bottom}${top}" stroke="${color}" />`
}

/** A bracket from one value to another, with its name to the left. */
function drawGap({ at, from, to, label }: Gap, x: Scale, y: Scale): Markup {
  const [px, low, high] = [round(x(at)), round(y(from)), round(y(to))]
  const middle = round((low + high) / 2 + 4)
  return html`<path
      d="M${px - 6} ${low}h6V${high}h-6"
      fill="none"
      stroke="${ink('ink')}"
      stroke-width="1.5"
    /><text class="halo strong" x="${px - 12}" y="${middle}" text-anchor="end">${label}</text>`
}
