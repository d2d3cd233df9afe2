/** Finds the time from which an overloaded or hanging crew completed nothing any more. */
import { sumOf } from './statistics/moments.ts'
import { MICROS_PER_MS } from '../base/units.ts'
import type { Micros } from '../base/units.ts'
import type { StallResult } from './disturbances.schema.ts'
import type { Observations } from './observations.ts'
import type { Timeline } from './counting/tallies/timeline.ts'
import type { SharedWaits } from './document-parts.schema.ts'
import { areDelayed } from './ledger/shared-waits.ts'
import type { CrewLoad } from './metrics/crew-load.ts'

/** Fewer executions without a completion may be chance, and are no news. */
const FEWEST_ACCEPTED = 10
/** The probability that as many fail to complete in a row at the earlier rate. */
const CHANCE = 0.01

/**
 * Null while executions completed to the end. Only executions count that were accepted after the
 * last completion and had as long as the slowest that completed. A loss of the target is named as
 * such.
 */
export function stallOf({
  timeline,
  window,
  lastSeenMicros,
  losses,
}: Observations): StallResult | null {
  const sinceMicros = timeline.lastCompletedMicros
  if (sinceMicros === null || losses.length > 0) return null
  const untilMicros = lastSeenMicros - (window.executions.ended.max ?? 0)
  const accepted = between(timeline, sinceMicros, untilMicros)
  if (accepted < FEWEST_ACCEPTED) return null
  const share = sumOf(timeline.served) / Math.max(1, sumOf(timeline.accepted) - accepted)
  if ((1 - Math.min(1, share)) ** accepted > CHANCE) return null
  return { sinceMs: sinceMicros / MICROS_PER_MS, untilMs: untilMicros / MICROS_PER_MS, accepted }
}

/** Accepted in whole intervals of that span; those whose end was hidden do not count. */
function between(timeline: Timeline, fromMicros: Micros, toMicros: Micros): number {
  const { intervalMicros, accepted, unresolved } = timeline
  const from = Math.ceil(fromMicros / intervalMicros)
  const to = Math.max(from, Math.floor(toMicros / intervalMicros))
  return sumOf(accepted.slice(from, to)) - sumOf(unresolved.slice(from, to))
}

interface StallSources {
  stall?: StallResult
  load: CrewLoad | null
  waits: SharedWaits | null
}

/** The load is named as the cause only where the crew cannot do the arriving work. */
export function stallFacts({ stall, load, waits }: StallSources) {
  if (stall === undefined) return null
  if (load === null || load.load <= 1) return { ...stall, overload: null }
  const { workers, load: share } = load
  return { ...stall, overload: { workers, load: share, isShared: areDelayed(waits) } }
}
