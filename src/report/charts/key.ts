/** Keys of pictures without room for a label beside each mark: marks and their names, in rows. */
import { html } from '../text/markup.ts'
import type { Markup } from '../text/markup.ts'
import { ink } from './palette.ts'
import type { Color } from './palette.ts'
import { fitText, round, stroke, textWidth } from './plot.ts'

export interface KeyPlace {
  left: number
  right: number
  /** The upper edge of the first row. */
  top: number
}

interface FlowEntry {
  width: number
  draw: (left: number, top: number) => Markup
}

export interface DrawnKey {
  body: Markup
  /** The lower edge of the last row; the top without entries. */
  bottom: number
}

const GAP_PX = 24

/** Places entries beside each other, and in further rows where there is no more room. */
export function inRows(
  entries: readonly FlowEntry[],
  place: KeyPlace,
  rowHeight: number,
): DrawnKey {
  let [x, y] = [place.left, place.top]
  const body = entries.map(({ width, draw }) => {
    if (x > place.left && x + width > place.right) [x, y] = [place.left, y + rowHeight]
    const left = x
    x += width + GAP_PX
    return draw(round(left), y)
  })
  return { body: html`${body}`, bottom: entries.length === 0 ? place.top : y + rowHeight }
}

export interface KeyEntry {
  color: Color
  opacity: number
  /** The paint of the area. Default: the colour. */
  fill?: string
  label: string
  /** What follows the label; it stays whole where the label must be shortened. Default: nothing. */
  value?: string
}

const SWATCH_PX = 12
const SWATCH_ROW_PX = 22

/** A swatch of each area. */
export function swatchKey(entries: readonly KeyEntry[], place: KeyPlace): DrawnKey {
  const flowed = entries.map(({ color, opacity, fill, label, value = '' }): FlowEntry => {
    const room = place.right - place.left - 18 - textWidth(value)
    const text = `${fitText(label, room) ?? ''}${value}`
    return {
      width: 18 + textWidth(text),
      draw: (x, y) =>
        html`<rect
            x="${x}"
            y="${y}"
            width="${SWATCH_PX}"
            height="${SWATCH_PX}"
            fill="${fill ?? ink(color)}"
            fill-opacity="${opacity}"
          /><text x="${x + 18}" y="${y + 11}">${text}</text>`,
    }
  })
  return inRows(flowed, place, SWATCH_ROW_PX)
}

const SAMPLE_PX = 34
const STROKE_ROW_PX = 24

/** A sample of the stroke of each line. */
export function strokeKey(
  entries: readonly { name: string; color: Color; dash: string }[],
  place: KeyPlace,
): DrawnKey {
  const flowed = entries.map(({ name, color, dash }): FlowEntry => ({
    width: SAMPLE_PX + 8 + textWidth(name),
    draw: (x, y) =>
      html`${stroke(`M${x} ${y + 10}h${SAMPLE_PX}`, color, dash)}<text
          x="${round(x + SAMPLE_PX + 8)}"
          y="${y + 15}"
          >${name}</text
        >`,
  }))
  return inRows(flowed, place, STROKE_ROW_PX)
}
