/** Shares of counts with their confidence, and what such an interval says about a bound. */
import { assert } from '../../base/assert.ts'
import { betaQuantile } from './distributions/beta.ts'

export interface ShareInterval {
  low: number
  high: number
}

/**
 * The exact interval of Clopper and Pearson ("The use of confidence or fiducial limits illustrated
 * in the case of the binomial", 1934) for `hits` of `n`: each end errs with probability at most (1
 * - confidence) / 2, whatever the share and however small n. If the observations depend on each
 * other, `effective` (taken from 1 to n) is the number of independent ones that would be as
 * informative: the interval is then that of the same share of that many. Null if n is 0.
 */
export function shareInterval(
  hits: number,
  n: number,
  confidence = 0.95,
  effective = n,
): ShareInterval | null {
  if (n === 0) return null
  assert(hits >= 0 && hits <= n, 'hits are counted among all')
  const size = Math.min(n, Math.max(1, effective))
  const [good, bad] = [(hits / n) * size, ((n - hits) / n) * size]
  const tail = (1 - confidence) / 2
  return {
    low: hits === 0 ? 0 : betaQuantile(tail, good, bad + 1),
    high: hits === n ? 1 : betaQuantile(1 - tail, good + 1, bad),
  }
}
