/**
 * Computes the bounds of a capacity without a model: rates at which the crew kept its promises, and
 * rates at which it surely did not.
 */
import { meanOf } from '../../../result/statistics/moments.ts'
import { cliffOf } from './learn/cliff.ts'
import type { Seen } from './seen.ts'
import type { Criterion } from './model/criteria.ts'
import { MICROS_PER_HOUR } from './model/system.ts'
import { areSurelyKept, ratesOf } from './search/probes.ts'
import type { CapacitySearch } from './search/search.ts'

/** Rates in kickoffs per hour; null where nothing is known. */
export interface Bounds {
  atLeast: number | null
  atMost: number | null
}

/**
 * Computes both bounds. After a cliff the saturation rate is that of the degraded crew, which
 * completed more before it, so the larger of the two rates is the upper bound.
 */
export function capacityBounds(search: CapacitySearch, saturated: number | null): Bounds {
  const { atLeast, atMost } = triedAt(search)
  if (atMost !== null) return { atLeast, atMost }
  const cliff = cliffOf(search.learned)
  const rates = [saturated, cliff?.before.high ?? null].filter((rate) => rate !== null)
  return { atLeast, atMost: rates.length === 0 ? null : Math.max(...rates, atLeast ?? 0) }
}

/**
 * The bounds by rates that were tried. Open arrivals come first, because closed clients wait for
 * the crew.
 */
function triedAt(search: CapacitySearch): Bounds {
  const { probes, criteria } = search
  if (probes.length === 0) return { atLeast: heldPerHour(search, criteria, 'surely'), atMost: null }
  const tried = [...search.probesOf('confirm'), ...probes]
  const broken = ratesOf(tried, 'broken')
  const atMost = broken.length === 0 ? null : Math.min(...broken)
  // A rate that broke below another one that held limits nothing permanently.
  const lasting = ratesOf(tried, 'held').filter((rate) => atMost === null || rate < atMost)
  return { atLeast: lasting.length === 0 ? null : Math.max(...lasting), atMost }
}

/**
 * How strictly a load must show that it keeps the promises: beyond chance, or by its observed
 * value.
 */
type Evidence = 'surely' | 'seen'

/**
 * The highest rate of closed clients that kept all promises while none waited for a worker, by
 * Little's law; null where there is none.
 */
export function heldPerHour(
  { loads }: Pick<CapacitySearch, 'loads'>,
  criteria: readonly Criterion[],
  evidence: Evidence,
): number | null {
  const rates = loads.flatMap(({ facts }) => {
    const { load, executions } = facts.seen
    if (load.kind !== 'closed' || facts.waited > 0) return []
    const keeps =
      evidence === 'surely'
        ? areSurelyKept(executions, criteria)
        : criteria.every((criterion) => keepsAsSeen(executions, criterion))
    const cycles = executions.flatMap(({ intended, known }) =>
      known === null ? [] : known - intended,
    )
    return keeps && cycles.length > 0 ? (load.clients * MICROS_PER_HOUR) / meanOf(cycles) : []
  })
  return rates.length === 0 ? null : Math.max(...rates)
}

function keepsAsSeen(executions: readonly Seen[], { boundMicros, limit }: Criterion): boolean {
  const bad = executions.filter(({ intended, known, outcome }) =>
    boundMicros === null
      ? outcome !== 'completed'
      : known === null || known - intended >= boundMicros,
  )
  return bad.length / Math.max(1, executions.length) <= limit
}
