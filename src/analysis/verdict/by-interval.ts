/** A count judged by its whole 95 % interval. */
import { shareInterval } from '../statistics/shares.ts'
import type { BoundCount } from './bound-count.ts'

/** Open observations may turn out either way. */
export function statusByInterval(count: BoundCount): 'met' | 'missed' | 'undecided' {
  if (isMetBy(count)) return 'met'
  const { bad, n, allowed, effective } = count
  const low = shareInterval(bad, n, 0.95, effective)?.low ?? 0
  return low > allowed.share ? 'missed' : 'undecided'
}

export function isMetBy({ bad, n, open, allowed, effectiveToMeet }: BoundCount): boolean {
  const high = shareInterval(bad + open, n, 0.95, effectiveToMeet)?.high ?? 1
  return high < allowed.share
}
