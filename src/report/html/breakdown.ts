/** Section 2, its second picture: where the time of typical and of slow executions went. */
import { scaleLinear } from 'd3-scale'
import type { BreakdownBar, ResultDocument } from '../../analysis/document.ts'
import { formatMs, formatValue, plainText } from '../format.ts'
import { figure } from './figure.ts'
import type { Picture } from './figure.ts'
import { fitText, textWidth } from './labels.ts'
import { html } from './markup.ts'
import type { Markup } from './markup.ts'
import type { Color } from './palette.ts'
import { bar, bottomAxis, round } from './plot.ts'
import { table } from './table.ts'
import { linearDurationTicks } from './ticks.ts'

export function renderBreakdown({ breakdown }: ResultDocument): Markup {
  const last = breakdown.at(-1)
  if (last === undefined) return html``
  const heading = finding(last)
  return figure({
    id: 'breakdown',
    heading,
    caption:
      'One bar for an execution in the middle, one for a slow one. Parts come from measurement, from the fake crew’s ledger or from what the target reported; the table says which.',
    alternative: breakdown.map(barInWords).join('. '),
    draw: (width) => draw(breakdown, width),
    table: table(
      [
        { title: 'execution' },
        { title: 'part' },
        { title: 'time', kind: 'number' },
        { title: 'share', kind: 'number' },
        { title: 'known from' },
      ],
      breakdown.flatMap(({ at, totalMs, parts }) =>
        parts.map(({ name, ms, source }) => [at, name, formatMs(ms), shareOf(ms, totalMs), source]),
      ),
    ),
  })
}

function finding({ at, totalMs, parts }: BreakdownBar): string {
  const largest = [...parts].sort((a, b) => b.ms - a.ms)[0]
  if (largest === undefined) return `A ${at} execution took ${formatMs(totalMs)}`
  return `At ${at}, ${plainText(largest.name, 40)} took the most: ${formatMs(largest.ms)} of ${formatMs(totalMs)}`
}

function barInWords({ at, totalMs, parts }: BreakdownBar): string {
  const words = parts.map(({ name, ms }) => `${plainText(name, 40)} ${formatMs(ms)}`)
  return `${at}: ${formatMs(totalMs)} in all: ${words.join(', ')}`
}

const ROW = { height: 92, barTop: 24, barHeight: 28 }
const LEFT = 44

function draw(bars: readonly BreakdownBar[], width: number): Picture {
  const longest = Math.max(...bars.map(({ totalMs }) => totalMs), 0.001)
  const rect = { left: LEFT, top: 0, right: width - 8, bottom: bars.length * ROW.height + 4 }
  const x = scaleLinear([0, longest], [rect.left, rect.right])
  const rows = bars.map((each, index) => drawBar(each, index * ROW.height, x, rect.right))
  const axis = bottomAxis(rect, linearDurationTicks(longest, width / 90), x)
  return { height: rect.bottom + 32, body: [rows, axis] }
}

function drawBar(
  each: BreakdownBar,
  top: number,
  x: (ms: number) => number,
  right: number,
): Markup {
  const barTop = top + ROW.barTop
  const small: string[] = []
  let [from, task] = [0, 0]
  const parts = each.parts.map(({ name, ms }) => {
    const [left, end] = [x(from), x(from + ms)]
    from += ms
    const { color, opacity } = paintOf(name, () => task++)
    const words = `${plainText(name, 40)} ${formatMs(ms)}`
    const tip = `${words}, ${shareOf(ms, each.totalMs)}`
    const gap = end - left > 3 ? 1 : 0
    const mark = bar(
      { left, top: barTop, right: end - gap, bottom: barTop + ROW.barHeight },
      color,
      { opacity, tip },
    )
    return html`${mark}${partLabel({ name: plainText(name, 40), ms, left, width: end - left, y: barTop + ROW.barHeight }, small)}`
  })
  const rest = small.length === 0 ? '' : `; too short to label: ${small.join(', ')}`
  const title = `${formatMs(each.totalMs)}${rest}`
  return html`<text class="strong" x="0" y="${barTop + 19}">${each.at}</text>
    <text class="quiet" x="${LEFT}" y="${barTop - 8}">${fitText(title, right - LEFT)}</text
    >${parts}`
}

interface PartPlace {
  name: string
  ms: number
  left: number
  width: number
  y: number
}

/** Name over time below the part; what has no room goes to `small`, unless it is nothing. */
function partLabel({ name, ms, left, width, y }: PartPlace, small: string[]): Markup | null {
  const time = formatMs(ms)
  const label = fitText(name, width - 6)
  if (label === null || textWidth(time) > width - 6) {
    if (ms > 0) small.push(`${name} ${time}`)
    return null
  }
  return html`<text x="${round(left)}" y="${y + 16}"
    >${label}<tspan class="quiet" x="${round(left)}" dy="15">${time}</tspan></text
  >`
}

/** Tasks share one hue and take turns in strength; what is no task has a hue of its own. */
function paintOf(name: string, nextTask: () => number): { color: Color; opacity: number } {
  switch (name) {
    case 'kickoff':
      return { color: 'response', opacity: 1 }
    case 'queue':
      return { color: 'grey', opacity: 0.7 }
    case 'detection':
      return { color: 'extra', opacity: 1 }
    default:
      return { color: 'endToEnd', opacity: nextTask() % 2 === 0 ? 1 : 0.62 }
  }
}

function shareOf(ms: number, totalMs: number): string {
  return formatValue(totalMs === 0 ? 0 : ms / totalMs, 'share')
}
