/** Turns the times at which to look into a schedule of intervals. */
import { sumBy } from '../../../../result/statistics/moments.ts'
import type { Micros } from '../../../../base/units.ts'
import type { SchedulePolling } from '../../../../scenario/polling/index.ts'
import { LEAST_INTERVAL_MICROS, neat, notBefore } from '../../../../scenario/polling/definition.ts'
import type { SampleShape, PollingFamily } from './shape.ts'
import { stretchesOf, totalWeight } from './pieces.ts'

/** Polls up to the longest execution that was seen: what is tried of schedules. */
export const POLL_NUMBERS = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 20, 23, 26, 30, 34, 39, 45, 51, 59, 68, 78,
  90, 103, 118, 136, 156, 180, 207, 238, 273, 314,
] as const

/** Intervals that are written one by one: longer lists are read by nobody. */
const MOST_WRITTEN = 40

/**
 * Looks at each of the times, or at the first 40 of them, and then as often as is best for what is
 * left. `weight`: the square root of 2 c / w for the prices c of a poll and w of delay, which is
 * what a poll takes of the integral of sqrt(h).
 *
 * Intervals count from the answer before, so that each is shorter by what a request takes. The last
 * time is met or passed, never missed by a rounding.
 */
export function toSchedule(
  timesMicros: readonly Micros[],
  weight: number,
  shape: SampleShape,
): SchedulePolling {
  const intervalsMicros: Micros[] = []
  let atMicros = 0
  const written = timesMicros.slice(0, MOST_WRITTEN)
  const isWhole = written.length === timesMicros.length
  written.forEach((time, i) => {
    const left = time - atMicros
    const isLast = isWhole && i === written.length - 1
    if (left < LEAST_INTERVAL_MICROS && !isLast) return
    const interval = isLast ? notBefore(left) : neat(left)
    intervalsMicros.push(interval)
    atMicros += interval + shape.requestMicros
  })
  const tail = weight * Math.sqrt(excessOf(shape, isWhole ? shape.quantile(TAIL_SHARE) : atMicros))
  return {
    kind: 'schedule',
    intervalsMicros: [...intervalsMicros, neat(Math.max(LEAST_INTERVAL_MICROS, tail))],
  }
}

/** Ends beyond this share of the executions tell how it goes on after the longest. */
const TAIL_SHARE = 0.9
/** Where all take as long, what comes late is taken to come within this share of their time. */
const LEAST_EXCESS = 0.05

/**
 * By how much those that are not done at an age exceed it on average: the E of the best constant
 * interval sqrt(2 c E / w) from there on.
 */
function excessOf({ ends, meanMicros }: SampleShape, fromMicros: Micros): Micros {
  const late = ends.filter(({ micros }) => micros > fromMicros)
  const share = sumBy(late, (each) => each.share)
  const excess = sumBy(late, (each) => each.share * (each.micros - fromMicros))
  return Math.max(share === 0 ? 0 : excess / share, LEAST_EXCESS * meanMicros)
}

export const shares: PollingFamily = {
  words: 'schedule',
  learned: true,
  policies: (shape) => {
    const total = totalWeight(stretchesOf(shape).flat())
    return POLL_NUMBERS.map((polls) => toSchedule(timesOf(shape, polls), total / polls, shape))
  },
}

function timesOf({ quantile }: SampleShape, polls: number): Micros[] {
  return Array.from({ length: polls }, (_, i) => quantile((i + 1) / polls))
}
