/** Shaded spans behind a picture over time, with their names above where there is room. */
import { plainText } from '../../frame/format.ts'
import { textWidth } from '../labels.ts'
import { html } from '../../frame/markup.ts'
import type { Markup } from '../../frame/markup.ts'
import { ink } from '../palette.ts'
import { bar, round } from '../plot.ts'
import type { Rect, Scale } from '../plot.ts'

export interface Shade {
  name: string
  fromMs: number
  toMs: number
}

const NAME_LIMIT = 40
const NAMES_GAP_PX = 12

/**
 * Shades from top to bottom of the frame; each name is shown once, at its first span with enough
 * room.
 */
export function drawShades(shades: readonly Shade[], x: Scale, frame: Rect): Markup {
  const named = new Set<string>()
  let free = frame.left
  return html`${shades
    .toSorted((a, b) => a.fromMs - b.fromMs)
    .map(({ name: told, fromMs, toMs }) => {
      const name = plainText(told, NAME_LIMIT)
      const left = x(fromMs)
      const shade = drawShade({ ...frame, left, right: Math.min(frame.right, x(toMs)) }, name)
      const from = Math.min(left, frame.right - textWidth(name))
      if (named.has(name) || from < free) return shade
      named.add(name)
      free = from + textWidth(name) + NAMES_GAP_PX
      return html`${shade}<text class="quiet" x="${round(from)}" y="${frame.top - 8}"
          >${name}</text
        >`
    })}`
}

/** A span of no length becomes a dashed line. */
function drawShade(rect: Rect, name: string): Markup {
  if (rect.right - rect.left >= 1) return bar(rect, 'grey', { opacity: 0.18, tip: name })
  return html`<path
    d="M${round(rect.left)} ${rect.top}V${rect.bottom}"
    stroke="${ink('grey')}"
    stroke-dasharray="2 3"
    data-tip="${name}"
  />`
}
