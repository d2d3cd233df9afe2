/** An estimate of the capacity, and the rates that it comes to. */
import type { Ranged, Spreads } from '../model/interval.ts'
import { ranged, saturationOf } from '../model/interval.ts'
import type { Solution } from '../model/solve.ts'
import type { CrewSystem } from '../model/system.ts'

/** An estimate of the capacity, and of its uncertainty. */
export interface Estimate {
  solution: Solution
  /** Null if there is no rate. */
  spreads: Spreads | null
  /** The spread of all causes together; Infinity if none is known. */
  spread: number
  system: CrewSystem
  /** Whether the largest simulation was used. */
  isFine: boolean
}

/**
 * Returns the rates of an estimate, with their intervals of 98 %. Without a limit of the queue, the
 * capacity is never above the saturation rate; with one, it is at most twice that, or the estimate
 * if that is higher.
 */
export function rangesOf({ solution, spreads, spread, system }: Estimate): {
  capacity: Ranged | null
  saturation: Ranged
} {
  const saturation = saturationOf(system, spreads?.counted ?? 0)
  if (solution.kind !== 'rate') return { capacity: null, saturation }
  const { perHour, low, high } = ranged(solution.perHour, spread)
  const isEndless = system.queueLimit === null && spreads?.untried === 0
  const most = Math.max(perHour, (isEndless ? 1 : MOST_OVER_SATURATION) * saturation.high)
  return { capacity: { perHour, low, high: Math.min(high, most) }, saturation }
}

/**
 * The largest capacity of a crew with a limited queue, as a multiple of the saturation rate. The
 * queue refuses the excess, and no median over all that was due holds if more than half is refused.
 */
const MOST_OVER_SATURATION = 2
