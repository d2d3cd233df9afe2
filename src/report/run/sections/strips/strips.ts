/** A few executions as strips on one time scale; this picture explains what the tool measures. */
import { scaleLinear } from 'd3-scale'
import type { ResultDocument, SampleExecution } from '../../../../result/document.ts'
import { formatDuration } from '../../../../base/units.ts'
import {
  formatCount,
  formatMs,
  formatOptionalMs,
  plainText,
  plural,
} from '../../../frame/format.ts'
import type { FigureParts, Picture } from '../../../charts/figure.ts'
import { fitText, textWidth } from '../../../charts/labels.ts'
import { html } from '../../../frame/markup.ts'
import type { Markup } from '../../../frame/markup.ts'
import { bottomAxis } from '../../../charts/plot.ts'
import type { RunSection } from '../section.ts'
import { drawKey } from './key.ts'
import { drawMarks } from './marks.ts'
import { readStrip } from './model.ts'
import type { DrawnStrip } from './model.ts'
import { table } from '../../../frame/table.ts'
import { linearDurationTicks } from '../../../charts/ticks.ts'

const TITLES: Record<SampleExecution['why'], string> = {
  slowest: 'Slowest',
  failed: 'Failed',
  random: 'Random',
}

export const STRIPS: RunSection = {
  chapter: 'A few executions',
  title: null,
  blocks: (document) => [{ kind: 'drawing', figure: stripFigure(document) }],
}

function stripFigure(document: ResultDocument): FigureParts {
  const strips = document.samples.map(readStrip)
  const heading = finding(strips)
  return {
    id: 'strips',
    heading,
    caption:
      'Each strip begins when its kickoff was intended. What the crew did is above ' +
      'the line, what the client requested below it: a poll can only show what had ' +
      'happened when it arrived.' +
      (waitForQuota(strips)
        ? ' The wait of a task for a quota is drawn at its beginning; it was spread over the task.'
        : ''),
    alternative: strips.map(stripInWords).join(' '),
    draw: (width) => draw(strips, width),
    table: stripTable(strips),
  }
}

function waitForQuota(strips: readonly DrawnStrip[]): boolean {
  return strips.some(({ tasks }) => tasks.some(({ quotaMs }) => quotaMs > 0))
}

function finding(strips: readonly DrawnStrip[]): string {
  const slowest = strips.reduce<DrawnStrip | null>(
    (most, strip) => (most === null || strip.totalMs > most.totalMs ? strip : most),
    null,
  )
  if (slowest === null) return 'No execution to show'
  const polls = plural(slowest.polls.length, 'poll')
  const noticed =
    slowest.detection === null
      ? ''
      : `; its detection delay was ${formatMs(slowest.detection.toMs - slowest.detection.fromMs)}`
  return `The longest of these took ${formatMs(slowest.totalMs)} and ${polls}${noticed}`
}

function stripInWords(strip: DrawnStrip): string {
  const tasks = tasksInWords(strip)
  const parts = tasks === '' ? '' : `: ${tasks}`
  return (
    `${strip.name} ${strip.outcome} after ${formatMs(strip.totalMs)} and ` +
    `${plural(strip.polls.length, 'poll')}${parts}.`
  )
}

/** A task that only polls suggest may have waited for a worker all the time. */
function tasksInWords({ waiting, tasks }: DrawnStrip): string {
  const words = tasks.map(({ name, fromMs, toMs, source, quotaMs }) => {
    const time = `${plainText(name, 40)} ${formatMs(toMs - fromMs)}`
    if (quotaMs > 0) return `${time} (${formatMs(quotaMs)} of it waiting for a quota)`
    return source === 'observed' ? `${time} by its polls` : time
  })
  const hasOnlyWaited = waiting !== null && tasks.length === 0
  return hasOnlyWaited ? 'waiting for a worker' : words.join(', ')
}

const ROW_HEIGHT = 76
const HEAD_HEIGHT = 40
const LEFT = 10

function draw(strips: readonly DrawnStrip[], width: number): Picture {
  if (strips.length === 0) {
    return {
      height: 32,
      body: html`<text class="quiet" x="0" y="20">No execution was sampled.</text>`,
    }
  }
  const key = drawKey(width, waitForQuota(strips))
  const longest = Math.max(...strips.map(({ totalMs }) => totalMs), 0.001)
  const right = width - 22
  const x = scaleLinear([0, longest], [LEFT, right])
  let y = key.height
  const rows = strips.map((strip, index) => {
    const fresh = strip.why !== strips[index - 1]?.why
    if (fresh) y += HEAD_HEIGHT
    const head = fresh
      ? html`<text class="strong" x="0" y="${y - 12}">${TITLES[strip.why]}</text>`
      : null
    const row = html`${head}${drawRow(strip, { x, y, width })}`
    y += ROW_HEIGHT
    return row
  })
  const ticks = linearDurationTicks(longest, (right - LEFT) / 84)
  const axis = bottomAxis({ left: LEFT, right, top: key.height, bottom: y }, ticks, x)
  const since = html`<text class="quiet" x="${LEFT}" y="${y + 37}"
    >since the kickoff was intended</text
  >`
  return { height: y + 44, body: [key.body, rows, axis, since] }
}

interface RowPlace {
  x: (ms: number) => number
  y: number
  width: number
}

function drawRow(strip: DrawnStrip, { x, y, width }: RowPlace): Markup {
  const end = `${strip.name} · ${strip.outcome} after ${formatMs(strip.totalMs)}`
  const polls = plural(strip.polls.length, 'poll')
  const full = [end, polls, ...(strip.reason === null ? [] : [strip.reason])].join(' · ')
  const cramped = strip.reason !== null && textWidth(full) > width - LEFT
  const why = cramped ? `${end} · ${strip.reason}` : full
  return html`<text class="quiet" x="${LEFT}" y="${y + 8}">${fitText(why, width - LEFT)}</text>
    ${drawMarks(strip, x, y + 16)}`
}

function stripTable(strips: readonly DrawnStrip[]): Markup {
  return table(
    [
      { title: 'execution', kind: 'code' },
      { title: 'why shown' },
      { title: 'outcome' },
      { title: 'intended at', kind: 'number' },
      { title: 'sent after', kind: 'number' },
      { title: 'accepted after', kind: 'number' },
      { title: 'true end after', kind: 'number' },
      { title: 'known after', kind: 'number' },
      { title: 'polls', kind: 'number' },
      { title: 'tasks' },
    ],
    strips.map((strip) => [
      strip.name,
      TITLES[strip.why].toLowerCase(),
      strip.reason === null ? strip.outcome : `${strip.outcome}: ${strip.reason}`,
      formatDuration(strip.intendedMicros),
      formatOptionalMs(strip.sentMs),
      formatOptionalMs(strip.acceptedMs),
      formatOptionalMs(strip.trueEndMs),
      formatMs(strip.totalMs),
      formatCount(strip.polls.length),
      tasksInWords(strip),
    ]),
    'No execution was sampled.',
  )
}
