/** What happened to workers in the middle of a search, so that no model of the crew holds. */
import { waitingSpans } from '../learn/waiting.ts'
import type { Watched } from './course.ts'
import { restartOf } from './restart.ts'
import type { Scaling } from './scaling.ts'
import { vanishedOf } from './scaling.ts'

export type Unsteady =
  /** So many executions were in the crew at one moment and were all lost. */
  | { kind: 'restarted'; lost: number }
  /** While executions waited, fewer were at work than before. */
  | { kind: 'vanished'; from: number; to: number }

/** A restart explains workers that are missing after it. */
export function unsteadyOf(loads: readonly Watched[], scaling: Scaling | null): Unsteady | null {
  const restart = restartOf(loads)
  if (restart !== null) return { kind: 'restarted', ...restart }
  const fall = vanishedOf(loads, scaling)
  return fall === null ? null : { kind: 'vanished', ...fall }
}

/**
 * The mean number at work while executions waited, in arrivals at random to a crew that had grown
 * to `to` workers: fewer than these, if some of them leave between arrivals. Null if none do.
 */
export function leavingOf(
  loads: readonly Watched[],
  scaling: Scaling | null,
): { to: number; mean: number } | null {
  if (scaling === null) return null
  const { to } = scaling
  const spans = loads.flatMap((load) => {
    const waiting = load.seen.load.kind === 'open' ? waitingSpans(load) : []
    const grown = waiting.findIndex(({ atWork }) => atWork >= to)
    return grown === -1 ? [] : waiting.slice(grown)
  })
  const all = spans.reduce((sum, { micros }) => sum + micros, 0)
  const mean = spans.reduce((sum, { micros, atWork }) => sum + (micros * atWork) / all, 0)
  return all > 0 && mean < to * (1 - LEAVING) ? { to, mean } : null
}

/** The share of the workers that must be missing. */
const LEAVING = 0.05
