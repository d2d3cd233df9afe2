/** An axis for durations, with its ticks. */
import { scaleLinear, scaleLog } from 'd3-scale'
import type { Scale } from './plot.ts'
import type { Tick } from './ticks.ts'
import { durationTicks, linearDurationTicks } from './ticks.ts'

/** A wider range of values makes the axis logarithmic. */
export const LINEAR_RATIO = 20

/**
 * From zero to the largest of `values`, in milliseconds, or logarithmic when they differ more than
 * twentyfold. `range`: the start and end of the axis in the picture; `ticks`: roughly how many
 * labels fit.
 */
export function durationScale(
  values: readonly number[],
  range: readonly [from: number, to: number],
  ticks: number,
): { scale: Scale; ticks: Tick[] } {
  const max = Math.max(...values, 0.001)
  const positive = values.filter((value) => value > 0)
  const min = Math.min(...positive, max)
  if (max / min <= LINEAR_RATIO) {
    const scale = scaleLinear([0, max * 1.05], range)
    return { scale, ticks: linearDurationTicks(max * 1.05, ticks) }
  }
  const [from, to] = [min / 1.2, max * 1.2]
  const log = scaleLog([from, to], range)
  return { scale: (value) => log(Math.max(from, value)), ticks: durationTicks(from, to, ticks) }
}
