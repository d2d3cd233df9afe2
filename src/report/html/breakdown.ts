/** Section 2, its second picture: where the time of typical and of slow executions went. */
import { scaleLinear } from 'd3-scale'
import type { BreakdownBar, ResultDocument } from '../../analysis/document.ts'
import { formatMs, formatValue, plainText } from '../format.ts'
import { figure } from './figure.ts'
import type { Picture } from './figure.ts'
import { flowKey } from './key.ts'
import type { KeyEntry } from './key.ts'
import { textWidth } from './labels.ts'
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
      'Each bar is the mean of the executions nearest to that quantile of end to end. The table says how each part is known: ' +
      'measured by the client, told by the fake crew’s ledger, or reported by the target.',
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
        parts.map(({ name, ms, source }) => [
          at,
          partName(name),
          formatMs(ms),
          shareOf(ms, totalMs),
          source,
        ]),
      ),
    ),
  })
}

function finding({ at, totalMs, parts }: BreakdownBar): string {
  const largest = [...parts].sort((a, b) => b.ms - a.ms)[0]
  if (largest === undefined) return `A ${at} execution took ${formatMs(totalMs)}`
  return `At ${at}, ${partName(largest.name)} took the most: ${formatMs(largest.ms)} of ${formatMs(totalMs)}`
}

function barInWords({ at, totalMs, parts }: BreakdownBar): string {
  const words = parts.map(({ name, ms }) => `${partName(name)} ${formatMs(ms)}`)
  return `${at}: ${formatMs(totalMs)} in all: ${words.join(', ')}`
}

/** The words of the table of waits for the parts that are no task. */
const WORDS: Partial<Record<string, string>> = {
  queue: 'waiting for a worker',
  detection: 'until we noticed',
}

function partName(name: string): string {
  return WORDS[name] ?? plainText(name, 40)
}

const LEFT = 44
const BAR_HEIGHT = 28
/** Below this width parts are too narrow for labels of their own. */
const LABEL_WIDTH = 560

function draw(bars: readonly BreakdownBar[], width: number): Picture {
  const longest = Math.max(...bars.map(({ totalMs }) => totalMs), 0.001)
  const right = width - 8
  const x = scaleLinear([0, longest], [LEFT, right])
  let top = 0
  const rows = bars.map((each) => {
    const row = drawBar(each, { top, right, x, labelled: width >= LABEL_WIDTH })
    top = row.bottom + 16
    return row.body
  })
  const rect = { left: LEFT, right, top: 0, bottom: top }
  return {
    height: top + 32,
    body: [rows, bottomAxis(rect, linearDurationTicks(longest, width / 90), x)],
  }
}

interface Place {
  top: number
  right: number
  x: (ms: number) => number
  labelled: boolean
}

function drawBar(
  each: BreakdownBar,
  { top, right, x, labelled }: Place,
): { body: Markup; bottom: number } {
  const parts = partsOf(each)
  const barTop = top + 22
  const below = barTop + BAR_HEIGHT
  const marks = parts.map(({ fromMs, toMs, tip, color, opacity }) => {
    const [left, end] = [x(fromMs), x(toMs)]
    const gap = end - left > 3 ? 1 : 0
    return bar({ left, top: barTop, right: end - gap, bottom: below }, color, { opacity, tip })
  })
  const fits = (part: Part): boolean =>
    labelled && textWidth(part.name) < x(part.toMs) - x(part.fromMs) - 4
  const labels = parts.filter(fits).map((part) => partLabel(part, x(part.fromMs), below))
  const others = parts.filter((part) => !fits(part) && part.toMs > part.fromMs)
  const keyTop = below + (labels.length > 0 ? 42 : 12)
  const key = flowKey(others, { left: LEFT, top: keyTop, right })
  const body = html`<text class="strong" x="0" y="${barTop + 19}">${each.at}</text>
    <text class="quiet" x="${LEFT}" y="${barTop - 7}">${formatMs(each.totalMs)} in all</text
    >${marks}${labels}${key.body}`
  return { body, bottom: others.length > 0 ? key.bottom : keyTop }
}

interface Part extends KeyEntry {
  name: string
  fromMs: number
  toMs: number
  tip: string
}

function partsOf({ parts, totalMs }: BreakdownBar): Part[] {
  let [fromMs, tasks] = [0, 0]
  return parts.map((part) => {
    const name = partName(part.name)
    const own = OWN_COLORS[part.name]
    const opacity = own === undefined ? (TASK_OPACITIES[tasks++ % TASK_OPACITIES.length] ?? 1) : 1
    const label = `${name} ${formatMs(part.ms)}`
    const span = { fromMs, toMs: fromMs + part.ms }
    fromMs = span.toMs
    const tip = `${label}, ${shareOf(part.ms, totalMs)}`
    return { name, ...span, label, tip, color: own ?? 'endToEnd', opacity }
  })
}

/** Tasks share one hue and take turns in strength; what is no task has a hue of its own. */
const TASK_OPACITIES = [1, 0.7, 0.45]
const OWN_COLORS: Partial<Record<string, Color>> = {
  kickoff: 'response',
  queue: 'grey',
  detection: 'extra',
  'waiting and detection': 'extra',
  'between tasks': 'grey',
}

function partLabel({ name, fromMs, toMs }: Part, left: number, y: number): Markup {
  return html`<text x="${round(left)}" y="${y + 16}"
    >${name}<tspan class="quiet" x="${round(left)}" dy="15">${formatMs(toMs - fromMs)}</tspan></text
  >`
}

function shareOf(ms: number, totalMs: number): string {
  return formatValue(totalMs === 0 ? 0 : ms / totalMs, 'share')
}
