/** A few executions as strips on one time scale; this picture explains what the tool measures. */
import { scaleLinear } from 'd3-scale'
import type { ResultDocument, SampleExecution } from '../../../../result/document.ts'
import {
  formatDuration,
  formatCount,
  formatMs,
  formatOptionalMs,
  plural,
} from '../../../../base/numbers.ts'
import { plainText } from '../../../text/format.ts'
import type { Drawing, Picture } from '../../../charts/chart.ts'
import { inRows } from '../../../charts/key.ts'
import type { DrawnKey } from '../../../charts/key.ts'
import { html } from '../../../text/markup.ts'
import type { Markup } from '../../../text/markup.ts'
import { bottomAxis, fitText, textWidth } from '../../../charts/plot.ts'
import type { RunSection } from '../section.ts'
import { betweenMark, detectionMark, drawMarks, pollPath, taskMark, waitingMark } from './marks.ts'
import { readStrip } from './model.ts'
import type { DrawnStrip } from './model.ts'
import type { Table } from '../../../text/table.ts'
import { pageTable, columnsOf } from '../../../text/table.ts'
import { linearDurationTicks } from '../../../charts/ticks.ts'

const TITLES: Record<SampleExecution['why'], string> = {
  slowest: 'Slowest',
  failed: 'Failed',
  random: 'Random',
}

export const STRIPS: RunSection = {
  chapter: 'A few executions',
  title: null,
  blocks: (document) =>
    document.samples.length === 0 ? [] : [{ kind: 'drawing', figure: stripFigure(document) }],
}

function stripFigure(document: ResultDocument): Drawing {
  const strips = document.samples.map(readStrip)
  return {
    id: 'strips',
    heading: heading(strips),
    caption:
      'Each strip begins when its kickoff was intended. What the crew did is above ' +
      'the line, what the client requested below it. A poll can only show what had ' +
      'happened when it arrived.' +
      (haveWait(strips, 'quotaMs') || haveWait(strips, 'slowedMs')
        ? ' What a task waited for others is drawn at its beginning; it was spread over the task.'
        : ''),
    draw: (width) => draw(strips, width),
    table: [stripTable(strips)],
  }
}

function haveWait(strips: readonly DrawnStrip[], kind: 'quotaMs' | 'slowedMs'): boolean {
  return strips.some(({ tasks }) => tasks.some((task) => task[kind] > 0))
}

function heading(strips: readonly DrawnStrip[]): string {
  const slowest = strips.reduce((most, strip) => (strip.totalMs > most.totalMs ? strip : most))
  const polls = plural(slowest.polls.length, 'poll')
  const noticed =
    slowest.detection === null
      ? ''
      : `; its detection delay was ${formatMs(slowest.detection.toMs - slowest.detection.fromMs)}`
  return `The longest of these took ${formatMs(slowest.totalMs)} and ${polls}${noticed}`
}

/** A task that only polls suggest may have waited for a worker all the time. */
function tasksInWords({ waiting, tasks, people }: DrawnStrip): string {
  const words = tasks.map(({ name, fromMs, toMs, source, quotaMs, slowedMs }) => {
    const time = `${plainText(name, 40)} ${formatMs(toMs - fromMs)}`
    const waits = [
      ...(quotaMs > 0 ? [`${formatMs(quotaMs)} of it ${QUOTA}`] : []),
      ...(slowedMs > 0 ? [`${formatMs(slowedMs)} of it ${PROCESSOR}`] : []),
    ]
    if (waits.length > 0) return `${time} (${waits.join(', ')})`
    return source === 'observed' ? `${time} by its polls` : time
  })
  const hasOnlyWaited = waiting !== null && tasks.length === 0
  if (hasOnlyWaited) return 'waiting for a worker'
  const askedMs = people.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)
  const asked = people.length === 0 ? [] : [`${formatMs(askedMs)} waiting for people`]
  return [...words, ...asked].join(', ')
}

const ROW_HEIGHT = 76
const HEAD_HEIGHT = 40
const LEFT = 10

function draw(strips: readonly DrawnStrip[], width: number): Picture {
  const key = drawKey(width, strips)
  const longest = Math.max(...strips.map(({ totalMs }) => totalMs), 0.001)
  const right = width - 22
  const x = scaleLinear([0, longest], [LEFT, right])
  let y = key.bottom
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
  const axis = bottomAxis({ left: LEFT, right, top: key.bottom, bottom: y }, ticks, x)
  const since = html`<text class="quiet" x="${LEFT}" y="${y + 37}"
    >since the kickoff was intended</text
  >`
  return { height: y + 44, body: [key.body, rows, axis, since] }
}

interface StripPlace {
  x: (ms: number) => number
  y: number
  width: number
}

function drawRow(strip: DrawnStrip, { x, y, width }: StripPlace): Markup {
  const end = `${strip.name} · ${strip.outcome} after ${formatMs(strip.totalMs)}`
  const polls = plural(strip.polls.length, 'poll')
  const full = [end, polls, ...(strip.reason === null ? [] : [strip.reason])].join(' · ')
  const cramped = strip.reason !== null && textWidth(full) > width - LEFT
  const why = cramped ? `${end} · ${strip.reason}` : full
  return html`<text class="quiet" x="${LEFT}" y="${y + 8}">${fitText(why, width - LEFT)}</text>
    ${drawMarks(strip, x, y + 16)}`
}

const MARK_WIDTH = 34
const KEY_ROW_HEIGHT = 34

type DrawMark = (x: (ms: number) => number, top: number) => Markup | null

const SPAN = { fromMs: 0, toMs: MARK_WIDTH }
const TASK = { ...SPAN, name: '', quotaMs: 0, slowedMs: 0 }

const QUOTA = 'waiting for a quota'
const PROCESSOR = 'waiting for a processor'
const PERSON = 'waiting for a person'

const KEY: readonly [label: string, draw: DrawMark][] = [
  ['waiting for a worker', (x, top) => waitingMark(SPAN, x, top)],
  [QUOTA, (x, top) => waitingMark(SPAN, x, top, 'quota')],
  [PROCESSOR, (x, top) => waitingMark(SPAN, x, top, 'processor')],
  [PERSON, (x, top) => waitingMark(SPAN, x, top, 'person')],
  ['a task', (x, top) => taskMark({ ...TASK, source: 'ledger' }, 0, { x, top })],
  [
    'a task by its polls alone',
    (x, top) => taskMark({ ...TASK, source: 'observed' }, 0, { x, top }),
  ],
  ['detection delay', (x, top) => detectionMark(SPAN, x, top)],
  ['the true end is in here', (x, top) => betweenMark(SPAN, x, top + 14)],
  ['poll that saw no change', (x, top) => pollPath([4, 13, 22, 31], 'same', { x, top: top - 18 })],
  ['poll that saw a change', (x, top) => pollPath([17], 'news', { x, top: top - 20 })],
  ['poll that failed', (x, top) => pollPath([17], 'error', { x, top: top - 18 })],
]

/** How to read a strip; waits that none of them has are left out. */
function drawKey(width: number, strips: readonly DrawnStrip[]): DrawnKey {
  const absent = new Set([
    ...(haveWait(strips, 'quotaMs') ? [] : [QUOTA]),
    ...(haveWait(strips, 'slowedMs') ? [] : [PROCESSOR]),
    ...(strips.some(({ people }) => people.length > 0) ? [] : [PERSON]),
  ])
  const entries = KEY.filter(([label]) => !absent.has(label)).map(([label, draw]) => ({
    width: MARK_WIDTH + 8 + textWidth(label),
    draw: (left: number, top: number) =>
      html`${draw((ms) => left + ms, top)}<text
          class="quiet"
          x="${left + MARK_WIDTH + 8}"
          y="${top + 15}"
          >${label}</text
        >`,
  }))
  return inRows(entries, { left: 0, right: width, top: 4 }, KEY_ROW_HEIGHT)
}

function stripTable(strips: readonly DrawnStrip[]): Table {
  const times = ['intended at', 'sent after', 'accepted after', 'true end after', 'known after']
  return pageTable(
    [
      { title: 'execution', kind: 'code' },
      ...columnsOf(['why shown', 'outcome'], [...times, 'polls'], ['tasks']),
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
  )
}
