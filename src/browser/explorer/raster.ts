/** The raster on a canvas: a row for each execution, or a lane for each worker. */
import { elapsedLabel, elapsedTicks } from '../../report/charts/ticks.ts'
import { endsBadly, PHASES, phasesOf } from '../../report/run/sections/executions/phases.ts'
import type { ShownPhase } from '../../report/run/sections/executions/phases.ts'
import type { ExecutionRow } from '../../result/execution-row.ts'
import { colorOf, prepared } from './dom.ts'
import type { View } from './view.ts'

const MOST_PX = 440
const ROW_PX = { least: 1, most: 14 }
const AXIS_PX = 26
const LEFT_PX = 10
const RIGHT_PX = 22
/** From this height on there is room between rows. */
const GAP_FROM_PX = 4
const END_PX = 3

export class Raster {
  readonly canvas: HTMLCanvasElement
  #rows: readonly ExecutionRow[] = []
  #view: View
  #shapes: DrawnRow[] = []

  constructor(canvas: HTMLCanvasElement, view: View) {
    this.canvas = canvas
    this.#view = view
  }

  get rows(): readonly ExecutionRow[] {
    return this.#rows
  }

  /** `rows` as chosen by `view`. */
  draw(rows: readonly ExecutionRow[], view: View): void {
    this.#rows = rows
    this.#view = view
    const shown = view.order === 'worker' ? rows.filter((row) => laneOf(row) !== null) : rows
    const lines = view.order === 'worker' ? lanesIn(shown) : shown.length
    const rowPx = Math.min(ROW_PX.most, Math.max(ROW_PX.least, MOST_PX / Math.max(1, lines)))
    const plotPx = Math.min(MOST_PX, Math.max(40, Math.ceil(lines * rowPx)))
    const pen = prepared(this.canvas, plotPx + AXIS_PX)
    const width = this.canvas.clientWidth
    const scale = this.#scale(shown, width)
    this.#shapes = shown.map((row, at) => {
      const line = view.order === 'worker' ? laneOf(row)! : at
      const height = plotPx / Math.max(1, lines)
      const top = line * height
      const bottom = top + Math.min(height, ROW_PX.most)
      const { phases, endMs } = drawnOf(row, view)
      return { row, top, bottom, begin: this.#begin(row), phases, endMs }
    })
    const colors = colorsNow()
    for (const shape of this.#shapes) drawShape(pen, shape, scale, colors)
    // Last, so that no neighbour covers an end of less than a pixel.
    for (const shape of this.#shapes) drawEnd(pen, shape, scale, colors)
    const open = this.#shapes.find(({ row }) => row.index === view.execution)
    if (open !== undefined) outline(pen, open, scale, colors.ink)
    drawAxis(pen, scale, { plotPx, width, colors })
  }

  /** What the key of the picture has to explain. */
  get drawn(): { kinds: ShownPhase['kind'][]; hasBadEnds: boolean } {
    const kinds = new Set(this.#shapes.flatMap(({ phases }) => phases.map(({ kind }) => kind)))
    return { kinds: [...kinds], hasBadEnds: this.#shapes.some(({ row }) => endsBadly(row)) }
  }

  /** The execution below a point of the canvas; null for none. */
  at(x: number, y: number): ExecutionRow | null {
    const scale = this.#scale(
      this.#shapes.map(({ row }) => row),
      this.canvas.clientWidth,
    )
    const near = this.#shapes.filter(({ top, bottom }) => y >= top - 1 && y < bottom + 1)
    const inside = near.find(({ begin, phases, endMs }) => {
      const [from, to] = [scale.x(begin + (phases[0]?.fromMs ?? 0)), scale.x(begin + endMs)]
      return x >= from - 2 && x <= to + END_PX + 2
    })
    const isLane = this.#view.order === 'worker'
    return inside?.row ?? (isLane ? null : (near[0]?.row ?? null))
  }

  #begin(row: ExecutionRow): number {
    return this.#view.order === 'duration' ? 0 : row.intendedMs
  }

  #scale(rows: readonly ExecutionRow[], width: number): RasterScale {
    const { order, from, to } = this.#view
    const ends = rows.map((row) => this.#begin(row) + row.totalMs)
    const last = ends.reduce((most, end) => Math.max(most, end), 1)
    const zoomed = order !== 'duration'
    const [low, high] = [zoomed ? (from ?? 0) : 0, zoomed ? (to ?? last) : last]
    const right = width - RIGHT_PX
    const span = Math.max(1, high - low)
    const x = (ms: number): number => LEFT_PX + ((ms - low) / span) * (right - LEFT_PX)
    return { low, high, right, x }
  }
}

/** Where a row is, in pixels of the canvas. */
interface DrawnRow {
  row: ExecutionRow
  top: number
  bottom: number
  /** Where its time counts from, on the axis. */
  begin: number
  phases: readonly ShownPhase[]
  endMs: number
}

/** A lane shows what its worker does; a row, all that an execution goes through. */
function drawnOf(row: ExecutionRow, { order }: View): Pick<DrawnRow, 'phases' | 'endMs'> {
  const phases = phasesOf(row)
  if (order !== 'worker') return { phases, endMs: row.totalMs }
  const work = phases.filter(({ kind }) => kind === 'work')
  return { phases: work, endMs: work.at(-1)?.toMs ?? 0 }
}

interface RasterScale {
  low: number
  high: number
  right: number
  x: (ms: number) => number
}

export function laneOf({ ledger }: ExecutionRow): number | null {
  return ledger?.lane ?? null
}

function lanesIn(rows: readonly ExecutionRow[]): number {
  return rows.reduce((most, row) => Math.max(most, (laneOf(row) ?? -1) + 1), 0)
}

type Colors = Readonly<Record<ShownPhase['kind'] | 'bad' | 'ink' | 'muted' | 'hair', string>>

function colorsNow(): Colors {
  return {
    waiting: colorOf(PHASES.waiting.color),
    work: colorOf(PHASES.work.color),
    seen: colorOf(PHASES.seen.color),
    detection: colorOf(PHASES.detection.color),
    bad: colorOf('bad'),
    ink: colorOf('ink'),
    muted: colorOf('muted'),
    hair: colorOf('hair'),
  }
}

function drawShape(
  pen: CanvasRenderingContext2D,
  { phases, top, bottom, begin }: DrawnRow,
  { x, low, high }: RasterScale,
  colors: Colors,
): void {
  const height = Math.max(0.7, bottom - top - (bottom - top >= GAP_FROM_PX ? 1 : 0))
  const within = (ms: number): number => x(Math.min(high, Math.max(low, begin + ms)))
  for (const { kind, fromMs, toMs } of phases) {
    if (begin + toMs < low || begin + fromMs > high) continue
    const [from, to] = [within(fromMs), within(toMs)]
    const width = Math.max(0.5, to - from)
    pen.globalAlpha = PHASES[kind].opacity
    // A wait is thinner than work: the two can be told apart without colour.
    const share = kind === 'waiting' && height >= GAP_FROM_PX ? 0.4 : 1
    pen.fillStyle = colors[kind]
    pen.fillRect(from, top + (height * (1 - share)) / 2, width, height * share)
    if (kind === 'seen' && height >= GAP_FROM_PX) hatch(pen, { from, width, top, height }, colors)
  }
  pen.globalAlpha = 1
}

function drawEnd(
  pen: CanvasRenderingContext2D,
  { row, top, bottom, begin, endMs }: DrawnRow,
  { x, low, high, right }: RasterScale,
  { bad }: Colors,
): void {
  const end = begin + endMs
  if (!endsBadly(row) || end < low || end > high) return
  const height = Math.max(1.5, bottom - top - 1)
  pen.fillStyle = bad
  pen.fillRect(Math.min(x(end), right), top, END_PX, height)
}

/** What only polls suggest. */
function hatch(
  pen: CanvasRenderingContext2D,
  area: { from: number; width: number; top: number; height: number },
  { work }: Colors,
): void {
  const { from, width, top, height } = area
  pen.save()
  pen.beginPath()
  pen.rect(from, top, width, height)
  pen.clip()
  pen.beginPath()
  for (let left = from - height; left < from + width; left += 6) {
    pen.moveTo(left, top + height)
    pen.lineTo(left + height, top)
  }
  pen.strokeStyle = work
  pen.stroke()
  pen.restore()
}

function outline(
  pen: CanvasRenderingContext2D,
  { phases, top, bottom, begin, endMs }: DrawnRow,
  { x, right }: RasterScale,
  color: string,
): void {
  const from = Math.max(LEFT_PX, x(begin + (phases[0]?.fromMs ?? 0)))
  const to = Math.min(right, x(begin + endMs))
  pen.strokeStyle = color
  pen.lineWidth = 2
  pen.strokeRect(from - 2, top - 2, to - from + END_PX + 4, Math.max(3, bottom - top) + 3)
  pen.lineWidth = 1
}

function drawAxis(
  pen: CanvasRenderingContext2D,
  { low, high, right, x }: RasterScale,
  { plotPx, width, colors }: { plotPx: number; width: number; colors: Colors },
): void {
  const y = plotPx + 4
  pen.strokeStyle = colors.muted
  pen.fillStyle = colors.muted
  pen.font = '13px system-ui, sans-serif'
  pen.textAlign = 'center'
  pen.beginPath()
  pen.moveTo(LEFT_PX, y)
  pen.lineTo(right, y)
  const room = Math.max(2, (right - LEFT_PX) / 100)
  const step = elapsedTicks(high - low, room)[1]?.value ?? high
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) {
    const at = x(value)
    pen.moveTo(at, y)
    pen.lineTo(at, y + 4)
    pen.fillText(elapsedLabel(value), Math.max(20, Math.min(at, width - 24)), y + 17)
  }
  pen.stroke()
}
