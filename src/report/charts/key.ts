/** Keys of pictures without room for a label beside each mark: swatches or strokes, in rows. */
import { fitText, textWidth } from './labels.ts'
import { html } from '../frame/markup.ts'
import type { Markup } from '../frame/markup.ts'
import { ink } from './palette.ts'
import type { Color } from './palette.ts'
import { round } from './plot.ts'

export interface KeyEntry {
  color: Color
  opacity: number
  label: string
  /** What follows the label; it stays whole where the label must be shortened. Default: nothing. */
  value?: string
}

/** `top` is the upper edge of the first row of swatches. */
export function flowKey(
  entries: readonly KeyEntry[],
  place: { left: number; top: number; right: number },
): { body: Markup; bottom: number } {
  let [x, y] = [place.left, place.top]
  const body = entries.map(({ color, opacity, label, value = '' }) => {
    const room = place.right - place.left - 18 - textWidth(value)
    const text = `${fitText(label, room) ?? ''}${value}`
    const needed = 18 + textWidth(text)
    if (x > place.left && x + needed > place.right) [x, y] = [place.left, y + 22]
    const left = round(x)
    x += needed + 24
    return html`<rect
        x="${left}"
        y="${y}"
        width="12"
        height="12"
        fill="${ink(color)}"
        fill-opacity="${opacity}"
      /><text x="${left + 18}" y="${y + 11}">${text}</text>`
  })
  return { body: html`${body}`, bottom: y + 16 }
}

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
