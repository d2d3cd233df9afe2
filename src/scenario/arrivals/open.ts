/** The schedule of open arrivals: an arrival process over a rate. */
import type { Random } from '../../base/random.ts'
import type { RateSegment } from '../plan.ts'
import { createIntensity } from './intensity.ts'
import type { ArrivalProcess } from './processes/index.ts'
import { countBefore, pointsOf } from './processes/index.ts'
import type { Schedule } from './schedule.ts'

/**
 * Arrival i is at the time when the integral of the rate reaches the process's point i; points
 * beyond the last segment give no arrival.
 */
export function openSchedule(
  segments: readonly RateSegment[],
  process: ArrivalProcess,
  random: Random,
): Schedule {
  const intensity = createIntensity(segments)
  const nextPoint = pointsOf(process, random)
  let index = 0
  let ended = false
  return {
    total: countBefore(process, intensity.total),
    next() {
      if (ended) return null
      const point = nextPoint()
      ended = point >= intensity.total
      if (ended) return null
      return { index: index++, intendedMicros: Math.round(intensity.timeOf(point)) }
    },
  }
}
