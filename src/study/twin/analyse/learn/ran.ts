/** Executions of one run that a crew took, in the order in which it had them. */
import type { Micros } from '../../../../base/units.ts'
import type { Observed } from '../fit/sample.ts'
import type { Seen, SeenRun } from '../seen/seen.ts'

export interface Taken extends Seen {
  accepted: Micros
}

export function takenOf({ executions }: Pick<SeenRun, 'executions'>): Taken[] {
  return executions
    .filter((each): each is Taken => each.accepted !== null)
    .toSorted((a, b) => a.accepted - b.accepted)
}

/** A moment that is known between two bounds. */
export function middle({ low, high }: Observed): Micros {
  return high === Infinity ? low : (low + high) / 2
}

/**
 * When the execution began and when it ended, which is Infinity where that was not seen; null where
 * its start is not known.
 */
export function spanOf({ started, ended }: Taken): [Micros, Micros] | null {
  if (started === null || ended === null) return null
  return [middle(started), ended.high === Infinity ? Infinity : middle(ended)]
}
