/** Arrivals over time as bars, over which a span of time is drawn with the mouse. */
import type { ExecutionRow } from '../../result/executions.ts'
import { colorOf, el, prepared } from './dom.ts'
import type { View } from './view.ts'

const HEIGHT_PX = 48
const BARS = 160
const LEFT_PX = 10
const RIGHT_PX = 22
/** A shorter drag is a click, which clears the span. */
const LEAST_DRAG_PX = 4

export type BrushedTime = Pick<View, 'from' | 'to'>

export class Brush {
  readonly canvas: HTMLCanvasElement
  #last = 1
  #pressedX: number | null = null

  constructor(choose: (span: BrushedTime) => void) {
    const what = 'Arrivals over time: drag to choose a span; the fields from and to do the same'
    this.canvas = el('canvas', { className: 'brush', title: what })
    this.canvas.setAttribute('role', 'img')
    this.canvas.setAttribute('aria-label', what)
    this.canvas.addEventListener('pointerdown', (event) => {
      this.#pressedX = event.offsetX
      this.canvas.setPointerCapture(event.pointerId)
    })
    this.canvas.addEventListener('pointermove', (event) => {
      if (this.#pressedX !== null && event.buttons > 0) choose(this.#span(event.offsetX))
    })
    this.canvas.addEventListener('pointerup', (event) => {
      if (this.#pressedX !== null) choose(this.#span(event.offsetX))
      this.#pressedX = null
    })
  }

  draw(all: readonly ExecutionRow[], { from, to }: BrushedTime): void {
    const pen = prepared(this.canvas, HEIGHT_PX)
    const width = this.canvas.clientWidth
    this.#last = all.reduce((last, row) => Math.max(last, row.intendedMs + row.totalMs), 1)
    const good = bars(all, this.#last, () => true)
    const bad = bars(all, this.#last, ({ outcome }) => outcome !== 'completed')
    const most = Math.max(1, ...good)
    const barPx = (width - LEFT_PX - RIGHT_PX) / BARS
    const paint = (counts: readonly number[], color: string): void => {
      pen.fillStyle = color
      for (const [at, count] of counts.entries()) {
        const height = (count / most) * (HEIGHT_PX - 4)
        pen.fillRect(LEFT_PX + at * barPx, HEIGHT_PX - height, Math.max(1, barPx - 1), height)
      }
    }
    paint(good, colorOf('grey'))
    paint(bad, colorOf('bad'))
    if (from === null && to === null) return
    const x = (ms: number): number => LEFT_PX + (ms / this.#last) * (width - LEFT_PX - RIGHT_PX)
    const [left, right] = [x(from ?? 0), x(to ?? this.#last)]
    pen.fillStyle = colorOf('endToEnd')
    pen.globalAlpha = 0.22
    pen.fillRect(left, 0, Math.max(1, right - left), HEIGHT_PX)
    pen.globalAlpha = 1
    for (const edge of [left, right]) pen.fillRect(edge - 1, 0, 2, HEIGHT_PX)
  }

  #span(x: number): BrushedTime {
    const pressed = this.#pressedX ?? x
    if (Math.abs(x - pressed) < LEAST_DRAG_PX) return { from: null, to: null }
    const width = this.canvas.clientWidth - LEFT_PX - RIGHT_PX
    const ms = (at: number): number =>
      Math.round(Math.min(1, Math.max(0, (at - LEFT_PX) / width)) * this.#last)
    return { from: ms(Math.min(x, pressed)), to: ms(Math.max(x, pressed)) }
  }
}

function bars(
  rows: readonly ExecutionRow[],
  last: number,
  counts: (row: ExecutionRow) => boolean,
): number[] {
  const sums = Array.from({ length: BARS }, () => 0)
  for (const row of rows) {
    const at = Math.min(BARS - 1, Math.floor((row.intendedMs / last) * BARS))
    if (counts(row)) sums[at]!++
  }
  return sums
}
