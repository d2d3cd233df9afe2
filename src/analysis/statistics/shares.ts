/** Shares of counts with their 95 % confidence. */

const Z_TWO_SIDED = 1.959963984540054

export interface ShareInterval {
  low: number
  high: number
}

/**
 * Wilson's score interval for `count` of `n` (E. B. Wilson, 1927): it keeps its coverage for small n and at the edges, where the
 * textbook interval collapses to nothing. Null when n is 0.
 */
export function shareInterval(count: number, n: number): ShareInterval | null {
  if (n === 0) return null
  const share = count / n
  const z2 = Z_TWO_SIDED ** 2
  const centre = (share + z2 / (2 * n)) / (1 + z2 / n)
  const half =
    (Z_TWO_SIDED / (1 + z2 / n)) * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n))
  return {
    low: count === 0 ? 0 : Math.max(0, centre - half),
    high: count === n ? 1 : Math.min(1, centre + half),
  }
}
