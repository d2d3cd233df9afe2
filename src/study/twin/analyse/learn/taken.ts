/** The executions of one run that a crew accepted, in the order of acceptance. */
import type { Micros } from '../../../../base/units.ts'
import type { SeenExecution, SeenRun } from '../seen.ts'
import type { Between } from '../../../../result/workers/observed-stay.ts'

export interface Taken extends SeenExecution {
  accepted: Micros
}

export function takenOf({ executions }: Pick<SeenRun, 'executions'>): Taken[] {
  return executions
    .filter((each): each is Taken => each.accepted !== null)
    .toSorted((a, b) => a.accepted - b.accepted)
}

/** Returns the middle of the bounds between which a moment is known. */
export function middle({ low, high }: Between): Micros {
  return high === Infinity ? low : (low + high) / 2
}

/** The times in which a worker had it: while it waits for a person, the worker serves others. */
export function workedOf(execution: Taken): [Micros, Micros][] {
  const span = spanOf(execution)
  if (span === null) return []
  const [start, end] = span
  const { asked = [] } = execution
  const from = [start, ...asked.map(({ resumed }) => resumed)]
  const to = [...asked.map((each) => each.from), end]
  return from.flatMap((begin, i): [Micros, Micros][] => (begin < to[i]! ? [[begin, to[i]!]] : []))
}

/**
 * Returns when the execution began and ended; the end is Infinity if it was not observed. Null if
 * the start is unknown.
 */
export function spanOf({ started, ended }: Taken): [Micros, Micros] | null {
  if (started === null || ended === null) return null
  return [middle(started), ended.high === Infinity ? Infinity : middle(ended)]
}
