/** A vertical axis for durations, with its ticks. */
import { scaleLinear, scaleLog } from 'd3-scale'
import type { Rect, Scale } from './plot.ts'
import type { Tick } from './ticks.ts'
import { durationTicks, linearDurationTicks } from './ticks.ts'

/** From zero; logarithmic when the range of `values`, in milliseconds, is over twentyfold. */
export function durationScale(
  values: readonly number[],
  rect: Rect,
): { scale: Scale; ticks: Tick[] } {
  const max = Math.max(...values, 0.001)
  const positive = values.filter((value) => value > 0)
  const min = Math.min(...positive, max)
  if (max / min <= 20) {
    const scale = scaleLinear([0, max * 1.05], [rect.bottom, rect.top])
    return { scale, ticks: linearDurationTicks(max * 1.05, 6) }
  }
  const [from, to] = [min / 1.2, max * 1.2]
  const log = scaleLog([from, to], [rect.bottom, rect.top])
  return { scale: (value) => log(Math.max(from, value)), ticks: durationTicks(from, to, 7) }
}
