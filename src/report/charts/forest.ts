/** Changes of several quantities with their intervals, a row each, on one axis around no change. */
import { scaleLinear } from 'd3-scale'
import { withSign, toDigits } from '../../base/numbers.ts'
import { html } from '../text/markup.ts'
import type { Markup } from '../text/markup.ts'
import type { Drawing, Picture } from './chart.ts'
import { ink } from './palette.ts'
import type { Color } from './palette.ts'
import { bottomAxis, fitText, round, stroke, textWidth } from './plot.ts'

export interface ForestRow {
  name: string
  /** In the unit of the axis. */
  value: number
  low: number | null
  high: number | null
  /** The change in words, to the right of the row. */
  text: string
  color: Color
  /** A change that is not proven is hollow. */
  hollow: boolean
}

export interface ForestAxis {
  /** `%`, or `pp`. */
  unit: string
  /** The smallest change that counts, on either side of 0. */
  least: number
}

/** Sorted by change, the largest first. */
export function forest(
  words: Pick<Drawing, 'id' | 'heading' | 'caption' | 'table'>,
  rows: readonly ForestRow[],
  axis: ForestAxis,
): Drawing {
  const sorted = rows.toSorted((a, b) => b.value - a.value)
  return { ...words, draw: (width) => draw(sorted, axis, width) }
}

const NARROW_PX = 500
const GAP_PX = 16
/** An interval that is longer than this many times the largest change is cut. */
const MOST_REACH = 3

function draw(rows: readonly ForestRow[], { unit, least }: ForestAxis, width: number): Picture {
  const isNarrow = width < NARROW_PX
  const labels = isNarrow ? 8 : Math.min(width / 3, widest(rows, 'name')) + GAP_PX
  const right = isNarrow ? width - 16 : width - widest(rows, 'text') - GAP_PX
  const [low, high] = reachOf(rows, least)
  const x = scaleLinear([low, high], [labels, right])
  const height = isNarrow ? 48 : 30
  const bottom = rows.length * height + 4
  const ticks = x
    .ticks(Math.max(3, Math.floor((right - labels) / 90)))
    .map((value) => ({ value, label: `${signed(value)} ${unit}` }))
  const guide = (at: number, dash: string): Markup =>
    html`<path
      d="M${round(x(at))} 0V${bottom}"
      stroke="${ink('grey')}"
      fill="none"
      stroke-dasharray="${dash}"
    />`
  return {
    height: bottom + 30,
    body: [
      guide(0, ''),
      [-least, least].filter((at) => at > low && at < high).map((at) => guide(at, '2 4')),
      rows.map((row, at) => drawRow(row, { x, y: at * height, labels, right, isNarrow, width })),
      bottomAxis({ left: labels, right, top: 0, bottom }, ticks, x),
    ],
  }
}

function widest(rows: readonly ForestRow[], key: 'name' | 'text'): number {
  return Math.max(0, ...rows.map((row) => textWidth(row[key])))
}

/** Holds 0, every change and the smallest that counts; whiskers may be cut. */
function reachOf(rows: readonly ForestRow[], least: number): [low: number, high: number] {
  const most = Math.max(least, ...rows.map(({ value }) => Math.abs(value)))
  const ends = rows.flatMap(({ low, high, value }) => [low ?? value, high ?? value])
  const cut = (end: number): number =>
    Math.max(-MOST_REACH * most, Math.min(MOST_REACH * most, end))
  const all = [...ends.map(cut), least * 1.2, least * -1.2]
  return [Math.min(...all), Math.max(...all)]
}

function signed(value: number): string {
  return withSign(value, (size) => String(toDigits(size, 3)))
}

interface RowPlace {
  x: (value: number) => number
  y: number
  labels: number
  right: number
  isNarrow: boolean
  width: number
}

function drawRow(row: ForestRow, { x, y, labels, right, isNarrow, width }: RowPlace): Markup {
  const { name, value, low, high, text, color, hollow } = row
  const middle = y + (isNarrow ? 34 : 18)
  const at = round(x(value))
  const within = (end: number): number => round(Math.max(labels, Math.min(right, x(end))))
  const whisker =
    low === null || high === null
      ? null
      : stroke(`M${within(low)} ${middle}H${within(high)}`, color)
  const [nameX, nameY] = isNarrow ? [8, y + 16] : [0, middle + 4]
  const room = isNarrow ? width - 24 - textWidth(text) : labels - GAP_PX
  return html`<text class="halo" x="${nameX}" y="${nameY}">${fitText(name, room)}</text
    ><text class="quiet halo" x="${isNarrow ? width - 8 : width}" y="${nameY}" text-anchor="end"
      >${text}</text
    >${whisker}<circle
      cx="${at}"
      cy="${middle}"
      r="4.5"
      fill="${ink(hollow ? 'paper' : color)}"
      stroke="${ink(color)}"
      stroke-width="2"
      data-tip="${name}: ${text}"
    />`
}
