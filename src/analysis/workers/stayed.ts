/** What clients see of an execution that a crew took. */
import type { Micros } from '../../base/units.ts'
import type { Outcome } from '../../execution/record/record.ts'

/** A moment between two others; `high` is Infinity where it was not seen. */
export interface Between {
  low: Micros
  high: Micros
}

/** One execution that a crew took. */
export interface Stayed {
  accepted: Micros
  /** The end lies between the times of two polls; null where it was not watched. */
  ended: Between | null
  outcome: Outcome
}
