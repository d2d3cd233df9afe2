/** What a schedule is: every arrival of the plan in order, pulled one at a time. */
import type { Micros } from '../../base/units.ts'

export interface ScheduledArrival {
  /** From 0, over all instances: instance i of n takes those with index mod n = i. */
  index: number
  /** Whole microseconds since the run's zero; never before the former arrival's. */
  intendedMicros: Micros
}

export interface Schedule {
  /** Null when there are no more. */
  next(): ScheduledArrival | null
  /** How many there will be; null where only drawing them all would tell. */
  readonly total: number | null
}
