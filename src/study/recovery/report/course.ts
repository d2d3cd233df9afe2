/** The figure of one trial over time: goodput, the kickoffs that it took, and the backlog, with the trigger shaded. */
import { scaleLinear } from 'd3-scale'
import { curveStepAfter, line as lineShape } from 'd3-shape'
import type { RecoveryCourse, RecoveryDocument } from '../document.ts'
import { formatCount, formatMs, plainText } from '../../../report/frame/format.ts'
import { figure } from '../../../report/charts/figure.ts'
import type { Picture } from '../../../report/charts/figure.ts'
import { fitText, spread, textWidth } from '../../../report/charts/labels.ts'
import { html } from '../../../report/frame/markup.ts'
import type { Markup } from '../../../report/frame/markup.ts'
import { ink } from '../../../report/charts/palette.ts'
import type { Color } from '../../../report/charts/palette.ts'
import {
  bar,
  bottomAxis,
  leftAxis,
  line,
  panelTitle,
  round,
  sideLabel,
} from '../../../report/charts/plot.ts'
import type { Rect, Scale } from '../../../report/charts/plot.ts'
import { table } from '../../../report/frame/table.ts'
import { countTicks, elapsedTicks } from '../../../report/charts/ticks.ts'
import { rounded, share } from './summary.ts'

export function renderCourse(document: RecoveryDocument): Markup | null {
  const { course } = document
  if (course === null) return null
  const heading = finding(document, course)
  return figure({
    id: 'course',
    heading,
    caption: CAPTION,
    alternative: heading,
    draw: (width) => draw(document, coarser(course, width < 500 ? 48 : 96), width),
    table: courseTable(coarser(course, 48)),
  })
}

const CAPTION =
  'One trial. Goodput counts executions completed within their deadline by when they were wanted; then the kickoffs that the client sent for them; ' +
  'then who waits: the client for an end, and the crew’s executions for a worker. The trigger is shaded.'

function finding({ run }: RecoveryDocument, course: RecoveryCourse): string {
  const { seed, triggerToMs, restoredMs, goodputPerSecond } = course
  const quarter = goodputPerSecond.slice(-Math.ceil(goodputPerSecond.length / 8))
  const left = quarter.reduce((sum, value) => sum + value, 0) / Math.max(1, quarter.length)
  if (restoredMs !== null) {
    const after = restoredMs - triggerToMs
    return `Seed ${seed}: goodput is back ${after === 0 ? 'at once' : `${formatMs(after)} after the trigger`}`
  }
  return `Seed ${seed}: at the end goodput is ${rounded(left)} a second, of ${rounded(run.wantedPerSecond)} wanted (${share(left / run.wantedPerSecond)})`
}

/** Neighbouring columns together, so that there are at most so many. */
function coarser(course: RecoveryCourse, most: number): RecoveryCourse {
  const by = Math.max(1, Math.ceil(course.wantedPerSecond.length / most))
  const mean = (values: readonly number[]): number[] =>
    groups(values, by).map((group) => group.reduce((sum, each) => sum + each, 0) / group.length)
  const last = (values: readonly number[]): number[] =>
    groups(values, by).map((group) => group.at(-1) ?? 0)
  return {
    ...course,
    stepMs: course.stepMs * by,
    wantedPerSecond: mean(course.wantedPerSecond),
    goodputPerSecond: mean(course.goodputPerSecond),
    controlPerSecond: course.controlPerSecond === null ? null : mean(course.controlPerSecond),
    attemptsPerSecond: mean(course.attemptsPerSecond),
    inFlight: last(course.inFlight),
    waiting: course.waiting === null ? null : last(course.waiting),
    running: course.running === null ? null : last(course.running),
  }
}

function groups(values: readonly number[], by: number): number[][] {
  return Array.from({ length: Math.ceil(values.length / by) }, (_, i) =>
    values.slice(i * by, (i + 1) * by),
  )
}

interface Curve {
  name: string
  color: Color
  dash: string
  values: readonly number[]
}

interface Panel {
  title: string
  curves: readonly Curve[]
}

const LEFT = 64
const PANEL_HEIGHT = 120
const GAP = 56
const BAND_LABEL = 24

function draw(document: RecoveryDocument, course: RecoveryCourse, width: number): Picture {
  const panels = panelsOf(course)
  const names = panels.flatMap(({ curves }) => curves.map(({ name }) => name))
  const right = width - 24 - Math.max(...names.map(textWidth))
  const columns = course.wantedPerSecond.length
  const lengthMs = Math.max(1, columns * course.stepMs)
  const x = scaleLinear([0, lengthMs], [LEFT, right])
  const rects = panels.map((_, i): Rect => {
    const top = BAND_LABEL + 28 + i * (PANEL_HEIGHT + GAP)
    return { left: LEFT, right, top, bottom: top + PANEL_HEIGHT }
  })
  const bottom = rects.at(-1)?.bottom ?? 0
  const frame = { left: LEFT, right, top: BAND_LABEL, bottom }
  return {
    height: bottom + 30,
    body: [
      triggerBand(document, course, x, frame),
      panels.map((panel, i) => drawPanel(panel, course, x, rects[i] ?? frame)),
      restoredMark(course, x, frame),
      bottomAxis(frame, elapsedTicks(lengthMs, (right - LEFT) / 64), x),
    ],
  }
}

/** None without values. */
function curve(
  name: string,
  color: Color,
  dash: string,
  values: readonly number[] | null,
): Curve[] {
  return values === null ? [] : [{ name, color, dash, values }]
}

function panelsOf(course: RecoveryCourse): Panel[] {
  return [
    {
      title: 'Executions a second',
      curves: [
        ...curve('wanted', 'grey', '2 3', course.wantedPerSecond),
        ...curve('no trigger', 'response', '6 3', course.controlPerSecond),
        ...curve('goodput', 'endToEnd', '', course.goodputPerSecond),
      ],
    },
    {
      title: 'Kickoffs sent a second',
      curves: [
        ...curve('wanted', 'grey', '2 3', course.wantedPerSecond),
        ...curve('sent', 'error', '', course.attemptsPerSecond),
      ],
    },
    {
      title: 'Executions that wait',
      curves: [
        ...curve('client', 'endToEnd', '6 3', course.inFlight),
        ...curve('for a worker', 'extra', '', course.waiting),
      ],
    },
  ]
}

function drawPanel({ title, curves }: Panel, course: RecoveryCourse, x: Scale, rect: Rect): Markup {
  const most = Math.max(1, ...curves.flatMap(({ values }) => values))
  const y = scaleLinear([0, most], [rect.bottom, rect.top])
  const labels = spread(
    curves.map(({ values }) => y(values.at(-1) ?? 0)),
    16,
    rect.top,
    rect.bottom,
  )
  return html`${panelTitle({ ...rect, left: 0 }, title)}${leftAxis(rect, countTicks(most, 4), y)}
  ${curves.map(({ values, color, dash }) => line(steps(values, course.stepMs, x, y), color, dash))}${curves.map(
    ({ name, color }, i) => sideLabel(name, color, rect.right, labels[i] ?? rect.bottom),
  )}`
}

function steps(values: readonly number[], stepMs: number, x: Scale, y: Scale): string | null {
  const path = lineShape<number>()
    .x((_, index) => x(index * stepMs))
    .y((value) => y(value))
    .curve(curveStepAfter)
    .digits(1)
  return path([...values, values.at(-1) ?? 0])
}

/** A short trigger is a hairline at least. */
function triggerBand(
  { run }: RecoveryDocument,
  { fromMs, triggerFromMs, triggerToMs }: RecoveryCourse,
  x: Scale,
  frame: Rect,
): Markup {
  const left = x(triggerFromMs - fromMs)
  const right = Math.max(left + 2, x(triggerToMs - fromMs))
  const words = `trigger: ${plainText(run.trigger.words, 60)}`
  return html`${bar({ ...frame, left, right }, 'grey', { opacity: 0.24, tip: words })}<text
      class="quiet"
      x="${round(left)}"
      y="${frame.top - 8}"
      >${fitText(words, frame.right + 40 - left)}</text
    >`
}

function restoredMark(
  { fromMs, restoredMs, triggerToMs }: RecoveryCourse,
  x: Scale,
  frame: Rect,
): Markup | null {
  if (restoredMs === null) return null
  const at = round(x(restoredMs - fromMs))
  return html`<path
      d="M${at} ${frame.top}V${frame.bottom}"
      stroke="${ink('good')}"
      stroke-dasharray="4 4"
    /><text class="halo strong" x="${at + 6}" y="${frame.bottom - 8}"
      >back after ${formatMs(restoredMs - triggerToMs)}</text
    >`
}

/** None without values. */
function optional(title: string, values: readonly number[] | null): [string, readonly number[]][] {
  return values === null ? [] : [[title, values]]
}

function courseTable(course: RecoveryCourse): Markup {
  const { waiting, running, controlPerSecond: control } = course
  const columns: [string, readonly number[]][] = [
    ['wanted a second', course.wantedPerSecond],
    ['goodput a second', course.goodputPerSecond],
    ...optional('without the trigger', control),
    ['kickoffs a second', course.attemptsPerSecond],
    ['client waits for', course.inFlight],
    ...optional('wait for a worker', waiting),
    ...optional('running', running),
  ]
  return table(
    [
      { title: 'from', kind: 'number' },
      ...columns.map(([title]) => ({ title, kind: 'number' as const })),
    ],
    course.wantedPerSecond.map((_, i) => [
      formatMs(i * course.stepMs),
      ...columns.map(([, values]) => formatCount(Number((values[i] ?? 0).toPrecision(3)))),
    ]),
  )
}
