/** What of a limit is not claimed: parameters that the evidence leaves too wide an interval. */
import type { Estimate } from './infer/interface.ts'

const PARAMETERS = ['ratePerSecond', 'capacity', 'limit', 'windowMs', 'blockMs'] as const
export type OpenParameter = (typeof PARAMETERS)[number]
type Intervals = Readonly<Record<OpenParameter, Estimate | null>>

/** A time or a rate is claimed that is known within this share of it; a count that is exact. */
const CLAIMED = 0.05
const COUNTS: ReadonlySet<OpenParameter> = new Set(['capacity', 'limit'])

export function openIn(intervals: Intervals): OpenParameter[] {
  return PARAMETERS.filter((name) => {
    const estimate = intervals[name]
    return estimate !== null && isOpen(estimate, COUNTS.has(name))
  })
}

function isOpen({ value, low, high }: Estimate, isCount: boolean): boolean {
  if (isCount) return Math.round(low) !== Math.round(high)
  return low < value * (1 - CLAIMED) || high > value * (1 + CLAIMED)
}
