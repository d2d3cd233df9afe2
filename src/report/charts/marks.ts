/** The marks of a panel beside its lines: points with their whiskers, and a named gap. */
import { html } from '../frame/markup.ts'
import type { Markup } from '../frame/markup.ts'
import type { Gap, Points } from './chart.ts'
import { ink } from './palette.ts'
import { round } from './plot.ts'
import type { Rect, Scale } from './plot.ts'

export function drawPoints(
  { color, shape, points }: Points,
  x: Scale,
  y: Scale,
  rect: Rect,
): Markup {
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
export function drawGap({ at, from, to, label }: Gap, x: Scale, y: Scale): Markup {
  const [px, low, high] = [round(x(at)), round(y(from)), round(y(to))]
  const middle = round((low + high) / 2 + 4)
  return html`<path
      d="M${px - 6} ${low}h6V${high}h-6"
      fill="none"
      stroke="${ink('ink')}"
      stroke-width="1.5"
    /><text class="halo strong" x="${px - 12}" y="${middle}" text-anchor="end">${label}</text>`
}
