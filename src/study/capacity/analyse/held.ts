/** Rates that the crew was seen to hold its promises at, and those that it surely does not. */
import { cliffOf } from './learn/cliff.ts'
import type { LoadFacts } from './learn/learn.ts'
import { throughputPerHour } from './learn/learn.ts'
import type { Criterion } from './model/criteria.ts'
import type { CapacitySearch } from './search/search.ts'

/** Kickoffs an hour; null where nothing is known. */
export interface Bounds {
  held: number | null
  most: number | null
}

/**
 * Behind a cliff, the saturation rate is that of a crew that has fallen off: before it, the crew
 * completed more.
 */
export function boundsOf(
  search: CapacitySearch,
  criteria: readonly Criterion[],
  saturated: number | null,
): Bounds {
  const held = heldPerHour(search, criteria)
  const cliff = cliffOf(search.learned)
  const rates = [saturated, cliff?.before.high ?? null].filter((rate) => rate !== null)
  return { held, most: rates.length === 0 ? null : Math.max(...rates, held ?? 0) }
}

/** Null where no load kept all of them. */
export function heldPerHour(
  { loads }: Pick<CapacitySearch, 'loads'>,
  criteria: readonly Criterion[],
): number | null {
  const rates = loads
    .filter(({ facts }) => facts.waited === 0 && keeps(facts, criteria))
    .map(({ facts }) => throughputPerHour(facts))
  return rates.length === 0 ? null : Math.max(...rates)
}

/** By the executions that were seen, as they are. */
function keeps({ seen }: LoadFacts, criteria: readonly Criterion[]): boolean {
  return criteria.every(({ boundMicros, limit }) => {
    const bad = seen.executions.filter(({ intended, known, outcome }) =>
      boundMicros === null
        ? outcome !== 'completed'
        : known === null || known - intended >= boundMicros,
    )
    return bad.length / Math.max(1, seen.executions.length) <= limit
  })
}
