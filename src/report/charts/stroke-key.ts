/** A key of strokes and names in rows above a picture. */
import { html } from '../frame/markup.ts'
import type { Markup } from '../frame/markup.ts'
import { textWidth } from './labels.ts'
import { ink } from './palette.ts'
import type { Color } from './palette.ts'
import { round } from './plot.ts'

export interface StrokeEntry {
  name: string
  color: Color
  dash: string
}

const SAMPLE_PX = 34
const ROW_PX = 24

/** Draws nothing, with no height, when there are no entries. */
export function strokeKey(
  entries: readonly StrokeEntry[],
  place: { left: number; right: number },
): { body: Markup; bottom: number } {
  let [left, top] = [place.left, 0]
  const body = entries.map(({ name, color, dash }) => {
    const needed = SAMPLE_PX + 8 + textWidth(name)
    if (left > place.left && left + needed > place.right) {
      ;[left, top] = [place.left, top + ROW_PX]
    }
    const from = left
    left += needed + 24
    return html`<path
        d="M${round(from)} ${top + 10}h${SAMPLE_PX}"
        stroke="${ink(color)}"
        stroke-width="2"
        ${dash === '' ? null : html` stroke-dasharray="${dash}"`}
      /><text x="${round(from + SAMPLE_PX + 8)}" y="${top + 15}">${name}</text>`
  })
  return { body: html`${body}`, bottom: entries.length === 0 ? 0 : top + ROW_PX }
}
