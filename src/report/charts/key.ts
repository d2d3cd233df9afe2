/** A key of swatches and labels in rows, for pictures without room for a label beside each mark. */
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
