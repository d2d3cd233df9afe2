/**
 * Lanes below a figure over time, one per row: a label, the times when it was active as bars, and
 * its events as ticks.
 */
import { formatCount, plainText } from '../../frame/format.ts'
import { fitText } from '../labels.ts'
import { html } from '../../frame/markup.ts'
import type { Markup } from '../../frame/markup.ts'
import { ink } from '../palette.ts'
import type { Color } from '../palette.ts'
import { panelTitle, round } from '../plot.ts'
import type { Scale } from '../plot.ts'

export interface ChartLane {
  /** The label; foreign text is shortened. */
  label: string
  /** When it was active, in milliseconds; empty for a lane that has only events. */
  bands: readonly { fromMs: number; toMs: number }[]
  /** The number of events by column. */
  counts: readonly number[]
}

interface LaneFrame {
  x: Scale
  left: number
  right: number
  /** Labels may extend to here. */
  width: number
  top: number
  /** The length of one column. */
  intervalMs: number
  color: Color
}

const TITLE_PX = 40
/** Widths of text are estimates. */
const LANE_EDGE_PX = 8
const LANE_PX = 36
/** The baseline of the label; the lane itself is below. */
const BASELINE_PX = 12
const TICK = { top: BASELINE_PX + 5, height: 14, least: 4, width: 3 }
/** Keeps spans of no length visible. */
const LEAST_BAR_PX = 3

export function lanesHeight(count: number): number {
  return count === 0 ? 0 : TITLE_PX + count * LANE_PX
}

export function drawLanes(
  title: string,
  lanes: readonly ChartLane[],
  frame: LaneFrame,
): Markup | null {
  if (lanes.length === 0) return null
  const most = Math.max(...lanes.flatMap(({ counts }) => counts), 1)
  const rows = lanes.map((lane, row) => {
    const top = frame.top + TITLE_PX + row * LANE_PX
    return drawLane(lane, { ...frame, top, most })
  })
  const rect = { left: 0, right: frame.right, top: frame.top + TITLE_PX, bottom: 0 }
  return html`${panelTitle(rect, title)}${rows}`
}

interface OneLane extends LaneFrame {
  /**
   * The largest count of any lane: the height of a tick follows the square root of its share of it.
   */
  most: number
}

function drawLane({ label, bands, counts }: ChartLane, frame: OneLane): Markup {
  const { left, right, top, width } = frame
  const middle = top + TICK.top + TICK.height / 2
  const ticks = counts.map((count, column) => drawTick(count, column, frame))
  return html`<text class="quiet" x="${left}" y="${top + BASELINE_PX}"
      >${fitText(plainText(label, 120), width - left - LANE_EDGE_PX)}</text
    ><path
      class="grid"
      d="M${left} ${middle}H${right}"
    />${bands.map((band) => drawBar(band, frame))}${ticks}`
}

function drawBar(
  { fromMs, toMs }: ChartLane['bands'][number],
  { x, right, top }: LaneFrame,
): Markup {
  const from = x(fromMs)
  const length = Math.max(LEAST_BAR_PX, Math.min(right, x(toMs)) - from)
  return html`<rect
    x="${round(from)}"
    y="${top + TICK.top + 4}"
    width="${round(length)}"
    height="${TICK.height - 8}"
    fill="${ink('grey')}"
  />`
}

function drawTick(
  count: number,
  column: number,
  { x, top, intervalMs, color, most }: OneLane,
): Markup | null {
  if (count === 0) return null
  const at = x((column + 0.5) * intervalMs)
  const height = TICK.least + (TICK.height - TICK.least) * Math.sqrt(count / most)
  return html`<rect
    x="${round(at - TICK.width / 2)}"
    y="${round(top + TICK.top + (TICK.height - height) / 2)}"
    width="${TICK.width}"
    height="${round(height)}"
    fill="${ink(color)}"
    data-tip="${formatCount(count)}"
  />`
}

/** The first lanes up to a limit, and one more with the sum of the others. */
export function shortened(
  lanes: readonly ChartLane[],
  most: number,
  rest: (others: readonly ChartLane[]) => string,
): ChartLane[] {
  if (lanes.length <= most + 1) return [...lanes]
  const others = lanes.slice(most)
  const counts = others[0]!.counts.map((_, column) =>
    others.reduce((sum, lane) => sum + (lane.counts[column] ?? 0), 0),
  )
  const bands = others.flatMap((lane) => lane.bands)
  return [...lanes.slice(0, most), { label: rest(others), bands, counts }]
}
