/** Arrivals: when each kickoff of a plan is intended. */
import { assert } from '../../base/assert.ts'
import type { Random } from '../../base/random.ts'
import type { Plan } from '../plan.ts'
import { openSchedule } from './open.ts'
import { replaySchedule } from './replay.ts'
import type { Schedule } from './schedule.ts'

export { describe, endsByCount, lastArrivalMicros, rateShapeOf } from './describe.ts'
export type { ArrivalSummary, PlannedArrivals, RateShape } from './describe.ts'
export type { Schedule, ScheduledArrival } from './schedule.ts'

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
