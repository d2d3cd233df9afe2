/** Turns the axes of a chart into scales and ticks in the picture's own units. */
import { scaleLinear, scaleLog } from 'd3-scale'
import { unreachable } from '../../base/assert.ts'
import { formatRoundShare, withSign } from '../../base/numbers.ts'
import type { Axis } from './chart.ts'
import type { Scale } from './plot.ts'
import type { Tick } from './ticks.ts'
import {
  countTicks,
  elapsedTicks,
  ninesPosition,
  ninesShares,
  durationTicks,
  linearDurationTicks,
} from './ticks.ts'

export interface DrawnAxis {
  scale: Scale
  ticks: readonly Tick[]
}

/** The ends of the axis in the picture; a vertical one runs from bottom to top. */
type Range = readonly [from: number, to: number]

/** Room at the ends of a logarithmic axis, so that the outermost values do not lie on its edges. */
const LOG_MARGIN_PX = 12
const PX_A_LABEL = 72

export function horizontalAxis(axis: Axis, values: readonly number[], range: Range): DrawnAxis {
  const ticks = Math.max(3, Math.floor((range[1] - range[0]) / PX_A_LABEL))
  return axisOf(axis, values, range, ticks)
}

const MOST_VERTICAL_TICKS = 5
const PX_A_ROW = 24

export function verticalAxis(axis: Axis, values: readonly number[], range: Range): DrawnAxis {
  const room = Math.floor((range[0] - range[1]) / PX_A_ROW)
  return axisOf(axis, values, range, Math.min(MOST_VERTICAL_TICKS, room))
}

function axisOf(axis: Axis, values: readonly number[], range: Range, count: number): DrawnAxis {
  const isBare = axis.log === true && axis.kind !== 'duration'
  const drawn = isBare ? logarithmic(values, range) : scaleOf(axis, values, range, count)
  return axis.ticks === undefined ? drawn : { ...drawn, ticks: axis.ticks }
}

/** A single value is placed in the middle. */
function logarithmic(values: readonly number[], [from, to]: Range): DrawnAxis {
  const [least, most] = [Math.min(...values), Math.max(...values)]
  if (!(least < most)) return { scale: () => (from + to) / 2, ticks: [] }
  const scale = scaleLog([least, most], [from + LOG_MARGIN_PX, to - LOG_MARGIN_PX])
  return { scale, ticks: [] }
}

function scaleOf(
  { kind, log }: Axis,
  values: readonly number[],
  range: Range,
  count: number,
): DrawnAxis {
  const most = Math.max(0, ...values)
  switch (kind) {
    case 'share':
      return shareScale(most, range)
    case 'count': {
      const top = most === 0 ? 1 : most
      return { scale: scaleLinear([0, top], range), ticks: countTicks(top, count) }
    }
    case 'change':
      return changeScale(values, range, count)
    case 'nines': {
      const last = Math.max(1, ...values.map(ninesPosition))
      const scale = scaleLinear([0, last], range)
      return { scale: (q) => scale(ninesPosition(q)), ticks: ninesShares(last) }
    }
    case 'elapsed': {
      const end = Math.max(1, most)
      return { scale: scaleLinear([0, end], range), ticks: elapsedTicks(end, count) }
    }
    case 'duration':
      return durationScale(values, range, count, log)
    default:
      return unreachable(kind)
  }
}

/** Holds 0, and is as long as its values. */
function changeScale(values: readonly number[], range: Range, count: number): DrawnAxis {
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)]
  const room = (most - least || 1) * CHANGE_MARGIN
  const scale = scaleLinear([least - room, most + room], range)
  const ticks = scale.ticks(count).map((value) => ({ value, label: changeLabel(value) }))
  return { scale, ticks }
}

const CHANGE_MARGIN = 0.05

/** `+10 %`, `0 %`, `−2.5 %`. */
function changeLabel(value: number): string {
  return withSign(value, formatRoundShare)
}

/** Up to 100 %; shares that are all below a tenth fill the height. */
function shareScale(most: number, range: Range): DrawnAxis {
  const top = most === 0 || most > 0.1 ? 1 : (SMALL_TOPS.find((each) => each >= most) ?? 1)
  const ticks = QUARTERS.map((part) => ({
    value: part * top,
    label: formatRoundShare(part * top),
  }))
  return { scale: scaleLinear([0, top], range), ticks }
}

const QUARTERS = [0, 0.25, 0.5, 0.75, 1]
const SMALL_TOPS = [0.001, 0.002, 0.004, 0.01, 0.02, 0.04, 0.1]

/** A wider range of values makes the axis logarithmic. */
export const LINEAR_RATIO = 20

/**
 * From zero to the largest of `values`, in milliseconds, or logarithmic when they differ more than
 * twentyfold, if not said otherwise.
 */
function durationScale(
  values: readonly number[],
  range: Range,
  ticks: number,
  log: boolean | undefined,
): DrawnAxis {
  const max = Math.max(...values, 0.001)
  const min = Math.min(...values.filter((value) => value > 0), max)
  if (!(log ?? max / min > LINEAR_RATIO)) {
    const scale = scaleLinear([0, max * 1.05], range)
    return { scale, ticks: linearDurationTicks(max * 1.05, ticks) }
  }
  const [from, to] = [min / 1.2, max * 1.2]
  const scale = scaleLog([from, to], range)
  return { scale: (value) => scale(Math.max(from, value)), ticks: durationTicks(from, to, ticks) }
}
