/** The times of an execution that a client can observe. */
import type { Micros } from '../../base/units.ts'
import type { Outcome } from '../../execution/record/record.ts'

/** The bounds of a moment; `high` is Infinity if it was not observed. */
export interface Between {
  low: Micros
  high: Micros
}

/** The middle between the bounds of a moment; the lower bound where it is the only one. */
export function middleOf({ low, high }: Between): Micros {
  return high === Infinity ? low : (low + high) / 2
}

/** One execution that a crew accepted. */
export interface ObservedStay {
  accepted: Micros
  /** The times of the two polls that enclose the end; null if it was not observed. */
  ended: Between | null
  outcome: Outcome
}
