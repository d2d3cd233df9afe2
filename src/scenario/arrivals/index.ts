/** Arrivals: when each kickoff of a plan is intended. */
import { assert } from '../../base/assert.ts'
import type { Random } from '../../base/random.ts'
import type { Plan, RateSegment } from '../plan.ts'
export { describe, endsByCount, lastArrivalMicros, rateShapeOf } from './describe.ts'
export type { ArrivalSummary, RateShape } from './describe.ts'
import type { Micros } from '../../base/units.ts'
import { createIntensity } from './intensity.ts'
import type { ArrivalProcess } from './processes.ts'
import { pointsOf } from './processes.ts'

/**
 * The one schedule of a plan with open or replayed arrivals; it depends on the seed and not on how
 * many instances share it. It is lazy: a million arrivals cost no memory. Closed clients have no
 * schedule, since the target's answers determine when they arrive.
 */
export function createSchedule(plan: Pick<Plan, 'arrivals'>, random: Random): Schedule {
  const { arrivals } = plan
  assert(arrivals.kind !== 'closed', 'closed clients follow no schedule')
  if (arrivals.kind === 'replay') return replaySchedule(arrivals.offsetsMicros)
  return openSchedule(arrivals.segments, arrivals.process, random.fork('arrivals'))
}

/** The interface of a schedule: every arrival of the plan in order, requested one at a time. */
export interface ScheduledArrival {
  /** The index over all instances, from 0: instance i of n takes those with index mod n = i. */
  index: number
  /** Whole microseconds since the run's zero; never before the previous arrival's. */
  intendedMicros: Micros
}

interface Schedule {
  /** The next arrival; null when there are no more. */
  next(): ScheduledArrival | null
}

/**
 * Arrival i is at the time when the integral of the rate reaches the process's point i; points
 * beyond the last segment give no arrival.
 */
function openSchedule(
  segments: readonly RateSegment[],
  process: ArrivalProcess,
  random: Random,
): Schedule {
  const intensity = createIntensity(segments)
  const nextPoint = pointsOf(process, random)
  let index = 0
  let ended = false
  return {
    next() {
      if (ended) return null
      const point = nextPoint()
      ended = point >= intensity.total
      if (ended) return null
      return { index: index++, intendedMicros: Math.round(intensity.timeOf(point)) }
    },
  }
}

/** `offsetsMicros` are in rising order and count from the run's zero. */
function replaySchedule(offsetsMicros: readonly Micros[]): Schedule {
  let index = 0
  return {
    next() {
      const intendedMicros = offsetsMicros[index]
      return intendedMicros === undefined ? null : { index: index++, intendedMicros }
    },
  }
}
