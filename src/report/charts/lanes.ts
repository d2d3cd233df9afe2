/**
 * Lanes below a figure over time, one per row: a label, the times when it was active as bars, and
 * its events as ticks.
 */
import { formatCount } from '../../base/numbers.ts'
import { plainText } from '../text/format.ts'
import { html } from '../text/markup.ts'
import type { Markup } from '../text/markup.ts'
import type { ChartLane, LaneGroup } from './chart.ts'
import { bar, fitText, panelTitle } from './plot.ts'
import type { Scale } from './plot.ts'

interface LaneFrame {
  x: Scale
  left: number
  right: number
  /** Labels may extend to here. */
  width: number
  top: number
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

export function lanesHeight({ lanes }: LaneGroup): number {
  return lanes.length === 0 ? 0 : TITLE_PX + lanes.length * LANE_PX
}

export function drawLanes(
  { title, lanes, color, interval }: LaneGroup,
  frame: LaneFrame,
): Markup | null {
  if (lanes.length === 0) return null
  const most = Math.max(...lanes.flatMap(({ counts }) => counts), 1)
  const rows = lanes.map((lane, row) => {
    const top = frame.top + TITLE_PX + row * LANE_PX
    return drawLane(lane, { ...frame, top, most, color, interval })
  })
  const rect = { left: 0, right: frame.right, top: frame.top + TITLE_PX, bottom: 0 }
  return html`${panelTitle(rect, title)}${rows}`
}

interface OneLane extends LaneFrame, Pick<LaneGroup, 'color' | 'interval'> {
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
  const left = x(fromMs)
  const end = Math.max(left + LEAST_BAR_PX, Math.min(right, x(toMs)))
  const middle = top + TICK.top + TICK.height / 2
  return bar({ left, right: end, top: middle - 3, bottom: middle + 3 }, 'grey')
}

function drawTick(
  count: number,
  column: number,
  { x, top, interval, color, most }: OneLane,
): Markup | null {
  if (count === 0) return null
  const at = x((column + 0.5) * interval)
  const half = (TICK.least + (TICK.height - TICK.least) * Math.sqrt(count / most)) / 2
  const middle = top + TICK.top + TICK.height / 2
  const rect = { left: at - TICK.width / 2, right: at + TICK.width / 2 }
  return bar({ ...rect, top: middle - half, bottom: middle + half }, color, {
    tip: formatCount(count),
  })
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
