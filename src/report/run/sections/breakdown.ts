/** Shows where the time of typical and of slow executions went; absent when none ended. */
import { scaleLinear } from 'd3-scale'
import type { BreakdownBar, ResultDocument } from '../../../result/document.ts'
import type { Drawing, Picture } from '../../charts/chart.ts'
import { swatchKey } from '../../charts/key.ts'
import type { KeyEntry } from '../../charts/key.ts'
import { hatched, ink } from '../../charts/palette.ts'
import type { Color } from '../../charts/palette.ts'
import { bar, bottomAxis, round, textWidth } from '../../charts/plot.ts'
import { linearDurationTicks } from '../../charts/ticks.ts'
import { formatCount, formatMs, formatValue, plural } from '../../../base/numbers.ts'
import { plainText } from '../../text/format.ts'
import { html } from '../../text/markup.ts'
import type { Markup } from '../../text/markup.ts'
import { columnsOf, pageTable } from '../../text/table.ts'
import type { RunSection } from './section.ts'

export const BREAKDOWN: RunSection = {
  chapter: 'How long people wait',
  title: null,
  blocks: (document) => {
    const last = document.breakdown.at(-1)
    return last === undefined ? [] : [{ kind: 'drawing', figure: breakdownFigure(document, last) }]
  },
}

function breakdownFigure(document: ResultDocument, last: BreakdownBar): Drawing {
  const { breakdown } = document
  const others = unendedWords(document)
  return {
    id: 'breakdown',
    heading: heading(document, last),
    caption:
      'Each bar is the mean of the executions nearest to that quantile of end to ' +
      `end${others === null ? '' : ', among those that ended'}. Its parts are parts of that ` +
      'mean: they can differ from the p50 and p95 of the same part. The table says where each ' +
      'part comes from: the client, the fake crew’s ledger, or reports of the target.',
    draw: (width) => draw(breakdown, others?.without ?? null, width),
    table: [
      pageTable(
        columnsOf(['execution', 'part'], ['time', 'share'], ['source']),
        breakdown.flatMap(({ at, totalMs, parts }) =>
          parts.map((part) => [
            at,
            partName(part),
            formatMs(part.ms),
            shareOf(part.ms, totalMs),
            part.source,
          ]),
        ),
      ),
    ],
  }
}

interface Unended {
  /** `of the 169 that ended`. */
  among: string
  /** `2,308 of 2,477 executions did not end`. */
  without: string
}

/** Null where all ended. */
function unendedWords({ distributions }: ResultDocument): Unended | null {
  const { n = 0, never = 0, censored = 0 } = distributions['execution'] ?? {}
  const unended = never + censored
  if (unended === 0) return null
  return {
    among: ` of the ${formatCount(n - unended)} that ended`,
    without: `${formatCount(unended)} of ${plural(n, 'execution')} did not end`,
  }
}

/** What took most of the executions near the highest quantile; null where none ended. */
export function longestPart(document: ResultDocument) {
  const last = document.breakdown.at(-1)
  const longest = last?.parts.toSorted((a, b) => b.ms - a.ms)[0]
  if (last === undefined || longest === undefined) return null
  const at = `${last.at}${unendedWords(document)?.among ?? ''}`
  return { at, totalMs: last.totalMs, name: partName(longest), ms: longest.ms }
}

function heading(document: ResultDocument, { at, totalMs }: BreakdownBar): string {
  const longest = longestPart(document)
  if (longest === null) return `A ${at} execution took ${formatMs(totalMs)}`
  const { name, ms } = longest
  return `At ${longest.at}, ${name} took the most: ${formatMs(ms)} of ${formatMs(totalMs)}`
}

type PartOfBar = BreakdownBar['parts'][number]

/** As in the table of waits. Tasks share one hue; every other part has its own. */
const PARTS: Readonly<Record<PartOfBar['part'], { words: string; color: Color }>> = {
  kickoff: { words: 'kickoff', color: 'response' },
  queue: { words: 'waiting for a worker', color: 'grey' },
  quota: { words: 'waiting for a quota', color: 'service' },
  slowed: { words: 'slowed by each other', color: 'sky' },
  task: { words: 'task', color: 'endToEnd' },
  between: { words: 'between tasks', color: 'grey' },
  running: { words: 'running', color: 'endToEnd' },
  detection: { words: 'detection delay', color: 'extra' },
  waiting: { words: 'waiting and detection', color: 'extra' },
}

/**
 * The ledger shows when the target accepted the kickoff, which is before its answer arrived, so the
 * part is not called kickoff response.
 */
function partName({ part, task, source }: PartOfBar): string {
  if (part === 'kickoff' && source === 'ledger') return 'until the target accepted'
  return task === undefined ? PARTS[part].words : plainText(task, 40)
}

const LEFT = 44
const BAR_HEIGHT = 28
/** Below this width, parts are too narrow for their own labels. */
const LABEL_WIDTH = 560

/** Executions that did not end, described by `others`, have a bar without an end. */
function draw(bars: readonly BreakdownBar[], others: string | null, width: number): Picture {
  const longest = Math.max(...bars.map(({ totalMs }) => totalMs), 0.001)
  const right = width - 10
  const x = scaleLinear([0, longest], [LEFT, right])
  let top = 0
  const rows = bars.map((each) => {
    const row = drawBar(each, { top, right, x, labelled: width >= LABEL_WIDTH })
    top = row.bottom + 16
    return row.body
  })
  const cut = others === null ? null : endlessBar(others, top, right)
  if (cut !== null) top += 22 + BAR_HEIGHT + 16
  const rect = { left: LEFT, right, top: 0, bottom: top }
  return {
    height: top + 32,
    body: [rows, cut, bottomAxis(rect, linearDurationTicks(longest, width / 90), x)],
  }
}

const ARROW_PX = 16

function endlessBar(words: string, top: number, right: number): Markup {
  const [barTop, neck] = [top + 22, right - ARROW_PX]
  const middle = barTop + BAR_HEIGHT / 2
  const rest = { left: LEFT, top: barTop, right: neck, bottom: barTop + BAR_HEIGHT }
  return html`<text class="quiet" x="${LEFT}" y="${barTop - 7}">${words}</text
    >${bar(rest, 'error', { opacity: 0.35 })}<path
      d="M${neck} ${barTop - 4}L${right} ${middle}L${neck} ${barTop + BAR_HEIGHT + 4}z"
      fill="${ink('error')}"
      fill-opacity="0.35"
    />`
}

interface BarPlace {
  top: number
  right: number
  x: (ms: number) => number
  labelled: boolean
}

function drawBar(
  each: BreakdownBar,
  { top, right, x, labelled }: BarPlace,
): { body: Markup; bottom: number } {
  const parts = partsOf(each)
  const barTop = top + 22
  const below = barTop + BAR_HEIGHT
  const marks = parts.map(({ fromMs, toMs, color, ...paint }) => {
    const [left, end] = [x(fromMs), x(toMs)]
    const gap = end - left > 3 ? 1 : 0
    return bar({ left, top: barTop, right: end - gap, bottom: below }, color, paint)
  })
  const fits = (part: DrawnPart): boolean =>
    labelled && textWidth(part.label) < x(part.toMs) - x(part.fromMs) - 4
  const labels = parts.filter(fits).map((part) => partLabel(part, x(part.fromMs), below))
  const others = parts.filter((part) => !fits(part) && part.toMs > part.fromMs)
  const keyTop = below + (labels.length > 0 ? 42 : 12)
  const key = swatchKey(others, { left: LEFT, top: keyTop, right })
  const body = html`<text class="strong" x="0" y="${barTop + 19}">${each.at}</text>
    <text class="quiet" x="${LEFT}" y="${barTop - 7}">${formatMs(each.totalMs)} in all</text
    >${marks}${labels}${key.body}`
  return { body, bottom: others.length > 0 ? key.bottom - 6 : keyTop }
}

interface DrawnPart extends KeyEntry {
  fromMs: number
  toMs: number
  tip: string
}

function partsOf({ parts, totalMs }: BreakdownBar): DrawnPart[] {
  let [fromMs, tasks] = [0, 0]
  return parts.map((part) => {
    const label = partName(part)
    const { color } = PARTS[part.part]
    const isTask = color === 'endToEnd'
    const opacity = isTask ? (TASK_OPACITIES[tasks++ % TASK_OPACITIES.length] ?? 1) : 1
    const value = ` ${formatMs(part.ms)}`
    const span = { fromMs, toMs: fromMs + part.ms }
    const fill = WAITS.has(part.part) ? { fill: hatched('grey') } : {}
    fromMs = span.toMs
    const tip = `${label}${value}, ${shareOf(part.ms, totalMs)}`
    return { ...span, ...fill, label, value, tip, color, opacity }
  })
}

/** Tasks share one hue in alternating strengths. */
const TASK_OPACITIES = [1, 0.7, 0.45]
const WAITS: ReadonlySet<PartOfBar['part']> = new Set(['queue', 'between'])

function partLabel({ label, fromMs, toMs }: DrawnPart, left: number, y: number): Markup {
  return html`<text x="${round(left)}" y="${y + 16}"
    >${label}<tspan class="quiet" x="${round(left)}" dy="15"
      >${formatMs(toMs - fromMs)}</tspan
    ></text
  >`
}

function shareOf(ms: number, totalMs: number): string {
  return formatValue(totalMs === 0 ? 0 : ms / totalMs, 'share')
}
