/** How to read a strip: a key in rows, drawn with the marks that it explains. */
import { textWidth } from '../../../charts/labels.ts'
import { html } from '../../../frame/markup.ts'
import type { Markup } from '../../../frame/markup.ts'
import type { Picture } from '../../../charts/figure.ts'
import { round } from '../../../charts/plot.ts'
import { betweenMark, detectionMark, pollPath, quotaMark, taskMark, waitingMark } from './marks.ts'

const MARK_WIDTH = 34
const ROW_HEIGHT = 34

type DrawMark = (x: (ms: number) => number, top: number) => Markup | null

const SPAN = { fromMs: 0, toMs: MARK_WIDTH }
const TASK = { ...SPAN, name: '', quotaMs: 0 }

const QUOTA = 'waiting for a quota'

const ENTRIES: readonly [label: string, draw: DrawMark][] = [
  ['waiting for a worker', (x, top) => waitingMark(SPAN, x, top)],
  [QUOTA, (x, top) => quotaMark(SPAN, x, top)],
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

/** `hasQuota`: some execution waited for a quota. */
export function drawKey(width: number, hasQuota: boolean): Picture {
  let [left, top] = [0, 4]
  const entries = ENTRIES.filter(([label]) => hasQuota || label !== QUOTA)
  const body = entries.map(([label, draw]) => {
    const needed = MARK_WIDTH + 8 + textWidth(label) + 24
    if (left > 0 && left + needed - 24 > width) [left, top] = [0, top + ROW_HEIGHT]
    const origin = left
    const mark = draw((ms) => origin + ms, top)
    const text = html`<text class="quiet" x="${round(origin + MARK_WIDTH + 8)}" y="${top + 15}"
      >${label}</text
    >`
    left += needed
    return html`${mark}${text}`
  })
  return { height: top + ROW_HEIGHT, body }
}
