/** The schedule of open arrivals: a process over a rate. */
import { unreachable } from '../../base/assert.ts'
import type { Random } from '../../base/random.ts'
import type { ArrivalProcess, RateSegment } from '../plan.ts'
import { gammaProcess } from './gamma.ts'
import { createIntensity } from './intensity.ts'
import { poissonProcess } from './poisson.ts'
import type { PointProcess } from './process.ts'
import type { Schedule } from './schedule.ts'
import { uniformProcess } from './uniform.ts'

/**
 * Arrival i falls where the integral of the rate reaches the process's point i; those that fall
 * beyond the last segment are none.
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
    total: process.kind === 'uniform' ? Math.ceil(intensity.total) : null,
    next() {
      if (ended) return null
      const point = nextPoint()
      ended = point >= intensity.total
      if (ended) return null
      return { index: index++, intendedMicros: Math.round(intensity.timeOf(point)) }
    },
  }
}

function pointsOf(process: ArrivalProcess, random: Random): PointProcess {
  switch (process.kind) {
    case 'uniform':
      return uniformProcess()
    case 'poisson':
      return poissonProcess(random)
    case 'gamma':
      return gammaProcess(process.cv, random)
    default:
      return unreachable(process)
  }
}
