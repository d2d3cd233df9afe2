/** The interface of a schedule: every arrival of the plan in order, requested one at a time. */
import type { Micros } from '../../base/units.ts'

export interface ScheduledArrival {
  /** The index over all instances, from 0: instance i of n takes those with index mod n = i. */
  index: number
  /** Whole microseconds since the run's zero; never before the previous arrival's. */
  intendedMicros: Micros
}

export interface Schedule {
  /** The next arrival; null when there are no more. */
  next(): ScheduledArrival | null
  /** The number of arrivals; null when it is unknown until all are drawn. */
  readonly total: number | null
}
