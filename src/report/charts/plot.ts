/**
 * The frame of a picture: a rectangle with axes, in the picture's own units, which are CSS pixels
 * at its natural width.
 */
import { ink } from './palette.ts'
import type { Color } from './palette.ts'
import { html } from '../text/markup.ts'
import type { Markup } from '../text/markup.ts'
import type { Tick } from './ticks.ts'

export interface Rect {
  left: number
  top: number
  right: number
  bottom: number
}

export type Scale = (value: number) => number

/** Draws horizontal hairlines, with labels on the left. */
export function leftAxis(rect: Rect, ticks: readonly Tick[], scale: Scale): Markup {
  return html`<g class="axis"
    >${ticks.map(({ value, label }) => {
      const y = round(scale(value))
      return html`<path class="grid" d="M${rect.left} ${y}H${rect.right}" /><text
          x="${rect.left - 8}"
          y="${y + 4}"
          text-anchor="end"
          >${label}</text
        >`
    })}</g
  >`
}

/**
 * Draws a baseline with short ticks and labels below. A label at an edge is turned inward so that
 * it is never cut; one that would touch its left neighbour is omitted.
 */
export function bottomAxis(rect: Rect, ticks: readonly Tick[], scale: Scale): Markup {
  let free = -Infinity
  return html`<g class="axis"
    ><path class="base" d="M${rect.left} ${rect.bottom}H${rect.right}" />${ticks.map(
      ({ value, label }) => {
        const x = round(scale(value))
        const width = textWidth(label)
        const from = Math.min(
          rect.right + EDGE_PX - width,
          Math.max(rect.left - EDGE_PX, x - width / 2),
        )
        const fits = from >= free
        if (fits) free = from + width + LABEL_GAP_PX
        const text = fits
          ? html`<text x="${round(from + width / 2)}" y="${rect.bottom + 19}" text-anchor="middle"
              >${label}</text
            >`
          : null
        return html`<path class="base" d="M${x} ${rect.bottom}v5" />${text}`
      },
    )}</g
  >`
}

/**
 * The most that labels may protrude beyond the ends of an axis, and the least distance between
 * them.
 */
const EDGE_PX = 8
const LABEL_GAP_PX = 8

/** A word above the plot that says what the vertical axis counts. */
export function panelTitle(rect: Rect, text: string): Markup {
  return html`<text class="panel" x="${rect.left}" y="${rect.top - 14}">${text}</text>`
}

export function stroke(path: string | null, color: Color, dash = ''): Markup {
  const pattern = dash === '' ? null : html` stroke-dasharray="${dash}"`
  return html`<path
    d="${path ?? ''}"
    fill="none"
    stroke="${ink(color)}"
    stroke-width="2"
    ${pattern}
  />`
}

export function area(path: string | null, color: Color, opacity: number): Markup {
  return html`<path d="${path ?? ''}" fill="${ink(color)}" fill-opacity="${opacity}" />`
}

/** A rectangle that is filled, or hatched; `tip` is the text shown on hovering. */
export function bar(
  rect: Rect,
  color: Color,
  options: { opacity?: number; tip?: string; fill?: string } = {},
): Markup {
  const width = round(Math.max(0, rect.right - rect.left))
  const height = round(Math.max(0, rect.bottom - rect.top))
  const tip = options.tip === undefined ? null : html` data-tip="${options.tip}"`
  return html`<rect
    x="${round(rect.left)}"
    y="${round(rect.top)}"
    width="${width}"
    height="${height}"
    fill="${options.fill ?? ink(color)}"
    fill-opacity="${options.opacity ?? 1}"
    ${tip}
  />`
}

/** Two decimals: more would only make the file larger. */
export function round(value: number): number {
  return Math.round(value * 100) / 100
}

/** Mean advance of a 13 px system font: digits and lower-case letters are about 0.54 em wide. */
const CHARACTER_PX = 7.1

/** Estimated width of one line of text at the figures' font size, in the figure's own units. */
export function textWidth(text: string): number {
  return Array.from(text).length * CHARACTER_PX
}

/** Shortens the text to what fits into `width`; null when not even three characters would. */
export function fitText(text: string, width: number): string | null {
  if (textWidth(text) <= width) return text
  const room = Math.floor(width / CHARACTER_PX) - 1
  return room < 3 ? null : `${Array.from(text).slice(0, room).join('')}…`
}

/**
 * Moves positions apart until neighbours keep `gap`. Each stays as near to its place as the order
 * allows, and within `low` to `high`. The order does not change.
 */
export function spread(
  places: readonly number[],
  gap: number,
  low: number,
  high: number,
): number[] {
  const order = places.map((place, index) => ({ place, index })).sort((a, b) => a.place - b.place)
  let floor = low
  const placed = order.map(({ place }) => {
    const at = Math.max(place, floor)
    floor = at + gap
    return at
  })
  let ceiling = high
  for (let rank = placed.length - 1; rank >= 0; rank--) {
    placed[rank] = Math.min(placed[rank] ?? 0, ceiling)
    ceiling = (placed[rank] ?? 0) - gap
  }
  const result: number[] = places.map(() => 0)
  for (const [rank, { index }] of order.entries()) result[index] = placed[rank] ?? 0
  return result
}
