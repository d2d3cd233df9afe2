/**
 * One curve of waits on the nines axis: it ends where its sample ends, or in an arrow where the
 * executions begin for which the wait never ended.
 */
import { area as areaShape, line as lineShape } from 'd3-shape'
import type { DistributionResult } from '../../result/document.ts'
import { formatMs, formatValue } from '../frame/format.ts'
import { html } from '../frame/markup.ts'
import type { Markup } from '../frame/markup.ts'
import { textWidth } from './labels.ts'
import { ink } from './palette.ts'
import type { Color } from './palette.ts'
import { area, line, round } from './plot.ts'
import type { Rect, Scale } from './plot.ts'
import { ninesPosition } from './ticks.ts'

export interface NinesCurve {
  label: string
  color: Color
  dash: string
  /** The points from the median on. */
  points: readonly NinesPoint[]
  /** The share of executions for which the wait never ended. */
  never: number
}

type NinesPoint = DistributionResult['quantiles'][number]

const MEDIAN = 0.5

/**
 * Quantiles from the median on. When waits that never ended follow, the largest one that ended is
 * added as the last point; not when some executions were given up, because those may have ended
 * later.
 */
export function curvePoints(distribution: DistributionResult | undefined): NinesPoint[] {
  if (distribution === undefined) return []
  const { quantiles, max, censored } = distribution
  const points = quantiles.filter(({ q }) => q >= MEDIAN)
  const end = 1 - neverShare(distribution)
  const isKnown = end < 1 && end > (points.at(-1)?.q ?? MEDIAN) && censored === 0
  return isKnown && max !== null
    ? [...points, { q: end, value: max, low: null, high: null }]
    : points
}

export function neverShare(distribution: DistributionResult | undefined): number {
  const { n, never } = distribution ?? { n: 0, never: 0 }
  return n === 0 ? 0 : never / n
}

/** The durations that an axis must hold. */
export function extentOf({ value, low, high }: NinesPoint): number[] {
  return [value, low ?? value, topOf({ value, high })]
}

/** The end of the band: nothing can be drawn beyond the last wait that ended. */
function topOf({ value, high }: Pick<NinesPoint, 'value' | 'high'>): number {
  return typeof high === 'number' ? high : value
}

/** The position on the nines axis. */
export function endPosition({ points, never }: NinesCurve): number {
  const cut = never > 0 ? ninesPosition(Math.max(MEDIAN, 1 - never)) : 0
  return Math.max(cut, ...points.map(({ q }) => ninesPosition(q)))
}

/** The height of the curve's last point; the lower edge when not even half of the waits ended. */
export function endHeight({ points }: NinesCurve, y: Scale, rect: Rect): number {
  const end = points.at(-1)
  return end === undefined ? rect.bottom : y(end.value)
}

interface CurvePlace {
  x: Scale
  y: Scale
  rect: Rect
  labelY: number
}

export function drawCurve(curve: NinesCurve, place: CurvePlace): Markup {
  const { points, color, dash } = curve
  const { x, y } = place
  const shown = points.filter(({ low, high }) => low !== null && high !== null)
  const band = areaShape<NinesPoint>()
    .x(({ q }) => x(ninesPosition(q)))
    .y0(({ low, value }) => y(low ?? value))
    .y1((point) => y(topOf(point)))
  const path = lineShape<NinesPoint>()
    .x(({ q }) => x(ninesPosition(q)))
    .y(({ value }) => y(value))
  const targets = points.map(({ q, value }) => {
    const tip = `${percentile(q)}: ${formatMs(value)}`
    const [cx, cy] = [round(x(ninesPosition(q))), round(y(value))]
    return html`<circle cx="${cx}" cy="${cy}" r="7" fill="transparent" data-tip="${tip}" />`
  })
  const shade = area(band.digits(1)(shown), color, 0.18)
  return html`${shade}${line(path.digits(1)(points), color, dash)} ${targets}
  ${curve.never > 0 ? neverArrow(curve, place) : null}${endLabel(curve, place)}`
}

const ARROW_PX = 28

/** Draws an arrow straight up from the last wait that ended. */
function neverArrow(curve: NinesCurve, { x, y, rect }: CurvePlace): Markup {
  const at = round(x(endPosition(curve)))
  const from = round(endHeight(curve, y, rect))
  const tip = round(Math.max(rect.top - 9, from - ARROW_PX))
  const color = ink(curve.color)
  return html`<path
      d="M${at} ${from}V${tip + 9}"
      stroke="${color}"
      stroke-width="2"
      stroke-dasharray="2 3"
      data-tip="${neverWords(curve)}"
    /><path d="M${at - 5} ${tip + 9}h10l-5 -9z" fill="${color}" />`
}

function neverWords({ never }: NinesCurve): string {
  return `${formatValue(never, 'share')} never`
}

const LEADER_PX = 12

/** The last value, or the share of waits that never ended. */
function endWords(curve: NinesCurve): string {
  const end = curve.points.at(-1)
  return curve.never > 0 || end === undefined
    ? neverWords(curve)
    : `${percentile(end.q)} ${formatMs(end.value)}`
}

/** The room that the label takes to the right of the curve's end. */
export function endLabelWidth(curve: NinesCurve): number {
  const widest = Math.max(textWidth(curve.label), textWidth(endWords(curve)))
  return LEADER_PX + 4 + widest + LABEL_GAP_PX
}

const LABEL_GAP_PX = 8

/** The name and the end in words, with a thin leader when the label had to move. */
function endLabel(curve: NinesCurve, { x, y, rect, labelY }: CurvePlace): Markup {
  const [endX, endY] = [x(endPosition(curve)), endHeight(curve, y, rect)]
  const labelX = endX + LEADER_PX
  return html`<circle cx="${round(endX)}" cy="${round(endY)}" r="3.5" fill="${ink(curve.color)}" />
    <path
      d="M${round(endX + 4)} ${round(endY)}L${round(labelX)} ${round(labelY)}"
      stroke="${ink(curve.color)}"
      fill="none"
    />
    <text class="halo" x="${round(labelX + 4)}" y="${round(labelY + 4)}"
      >${curve.label}<tspan class="quiet" x="${round(labelX + 4)}" dy="15"
        >${endWords(curve)}</tspan
      ></text
    >`
}

export function percentile(q: number): string {
  return `p${Number((q * 100).toPrecision(q < 0.99 ? 3 : 7))}`
}
