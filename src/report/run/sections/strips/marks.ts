/** The marks of a strip: what the crew did above the line, the client's polls below it. */
import { bar, fitText, round } from '../../../charts/plot.ts'
import { html } from '../../../text/markup.ts'
import type { Markup } from '../../../text/markup.ts'
import { hatched, ink } from '../../../charts/palette.ts'
import { formatMs } from '../../../../base/numbers.ts'
import type { PollKind, StripSpan, DrawnStrip } from './model.ts'

type X = (ms: number) => number

/** Heights within a strip, from its top. */
const TRACK = 20
const POLLS = TRACK + 4
const POLL_HEIGHTS: Record<PollKind, number> = { news: 14, same: 7, error: 10 }

/** `top` is the upper edge of the tasks; the strip is 40 high. */
export function drawMarks(strip: DrawnStrip, x: X, top: number): Markup {
  const [start, end] = [round(x(0)), round(x(strip.totalMs))]
  return html`<path class="grid" d="M${start} ${top + TRACK + 1.5}H${end}" />
    ${strip.waiting === null ? null : waitingMark(strip.waiting, x, top)}
    ${strip.tasks.map((task, index) => taskMark(task, index, { x, top }))}
    ${strip.people.map((span) => waitingMark(span, x, top, 'person'))}
    ${strip.detection === null ? null : detectionMark(strip.detection, x, top)}
    ${strip.endBetween === null ? null : betweenMark(strip.endBetween, x, top)}
    <path d="M${start} ${top - 2}V${top + TRACK + 18}" stroke="${ink('ink')}" stroke-width="1.5" />
    ${pollMarks(strip, x, top)} ${endMark(strip, end, top)}`
}

const WAITS = { worker: 'grey', quota: 'service', processor: 'sky', person: 'response' } as const

/**
 * The waits for a quota and a processor are drawn at the beginning of the task over which they were
 * spread; the one for a person on the task about which they were asked.
 */
export function waitingMark(
  span: StripSpan,
  x: X,
  top: number,
  what: keyof typeof WAITS = 'worker',
): Markup {
  const [left, right] = [round(x(span.fromMs)), round(x(span.toMs))]
  const rect = { left, right, top: top + TRACK / 2 - 4, bottom: top + TRACK / 2 + 4 }
  const color = WAITS[what]
  const tip = `waiting for a ${what} ${spanText(span)}`
  return bar(rect, color, { fill: hatched(color), tip })
}

/**
 * Neighbouring tasks differ in strength; the name is inside when it fits. One that only polls
 * suggest is hatched, over a broken line.
 */
export function taskMark(
  task: DrawnStrip['tasks'][number],
  index: number,
  { x, top }: { x: X; top: number },
): Markup {
  const { fromMs, toMs } = task
  const sharesMs = Math.min(fromMs + task.quotaMs, toMs)
  const workMs = Math.min(sharesMs + task.slowedMs, toMs)
  const [left, right] = [x(workMs), x(toMs)]
  const width = Math.max(1, right - left - 1)
  const quota = { fromMs, toMs: sharesMs }
  const slowed = { fromMs: sharesMs, toMs: workMs }
  const waiting = [
    sharesMs > fromMs ? waitingMark(quota, x, top, 'quota') : null,
    workMs > sharesMs ? waitingMark(slowed, x, top, 'processor') : null,
  ]
  const label = fitText(task.name, width - 10)
  const color = task.failed === true ? 'error' : 'endToEnd'
  const name =
    label === null ? null : html`<text x="${round(left + 5)}" y="${top + 14.5}">${label}</text>`
  const isSeen = task.source === 'observed'
  const opacity = isSeen ? 0.4 : index % 2 === 0 ? 0.42 : 0.26
  const origin = isSeen ? ' by its polls: at work, or still waiting for a worker' : ''
  return html`${waiting}<rect
      x="${round(left)}"
      y="${top}"
      width="${round(width)}"
      height="${TRACK}"
      fill="${isSeen ? hatched(color) : ink(color)}"
      fill-opacity="${opacity}"
      data-tip="${task.name} ${spanText({ ...task, fromMs: workMs })}${origin}"
    /><path
      d="M${round(left)} ${top + TRACK - 1}h${round(width)}"
      stroke="${ink(color)}"
      stroke-width="2"
      ${isSeen ? html`stroke-dasharray="5 4"` : null}
    />${name}`
}

/** The execution has ended, and the client does not know it yet. */
export function detectionMark(span: StripSpan, x: X, top: number): Markup {
  const [left, right] = [x(span.fromMs), x(span.toMs)]
  const width = round(Math.max(1, right - left))
  return html`<rect
      x="${round(left)}"
      y="${top}"
      width="${width}"
      height="${TRACK}"
      fill="${ink('extra')}"
      fill-opacity="0.35"
      data-tip="detection delay ${spanText(span)}"
    /><path
      d="M${round(left)} ${top - 4}V${top + TRACK + 1}"
      stroke="${ink('extra')}"
      stroke-width="2"
    />`
}

/** The true end is somewhere in this span. */
export function betweenMark(span: StripSpan, x: X, top: number): Markup {
  const [left, right] = [round(x(span.fromMs)), round(x(span.toMs))]
  return html`<path
    d="M${left} ${top - 1}v-4H${right}v4"
    fill="none"
    stroke="${ink('extra')}"
    stroke-width="2"
    data-tip="it ended somewhere in these ${spanText(span)}"
  />`
}

/** All polls of a kind are one path, so hundreds of them remain cheap. */
function pollMarks(strip: DrawnStrip, x: X, top: number): Markup {
  return html`${(['same', 'news', 'error'] as const).map((kind) => {
    const at = strip.polls.filter((poll) => poll.kind === kind).map(({ atMs }) => atMs)
    return pollPath(at, kind, { x, top })
  })}`
}

export function pollPath(
  atMs: readonly number[],
  kind: PollKind,
  { x, top }: { x: X; top: number },
): Markup | null {
  if (atMs.length === 0) return null
  const y = top + POLLS
  if (kind === 'error') {
    const crosses = atMs.map((ms) => `M${round(x(ms) - 3.5)} ${y + 1}l7 7m0 -7l-7 7`).join('')
    return html`<path d="${crosses}" stroke="${ink('error')}" stroke-width="2" fill="none" />`
  }
  const ticks = atMs.map((ms) => `M${round(x(ms))} ${y}v${POLL_HEIGHTS[kind]}`).join('')
  const [color, width] = kind === 'news' ? (['ink', 2.5] as const) : (['muted', 1.2] as const)
  return html`<path d="${ticks}" stroke="${ink(color)}" stroke-width="${width}" fill="none" />`
}

const END_SIGNS: Partial<Record<DrawnStrip['outcome'], string>> = {
  completed: '✓',
  failed: '✗',
  aborted: '–',
  dropped: '–',
  notReached: '–',
}

function endMark(strip: DrawnStrip, end: number, top: number): Markup {
  const sign = END_SIGNS[strip.outcome] ?? '?'
  const color =
    strip.outcome === 'completed' ? 'good' : strip.outcome === 'failed' ? 'bad' : 'doubt'
  return html`<path
      d="M${end} ${top - 2}V${top + TRACK + 18}"
      stroke="${ink('ink')}"
      stroke-width="1.5"
    /><text class="strong" x="${end + 5}" y="${top + 15}" style="fill:${ink(color)}">${sign}</text>`
}

function spanText({ fromMs, toMs }: StripSpan): string {
  return formatMs(toMs - fromMs)
}
