/**
 * Allows for runs that resemble the run before: the mean of such runs is less precise than that of
 * independent ones.
 */

/**
 * The prior of the correlation: the number of assumed neighbours, and how much they resemble each
 * other.
 */
const PRIOR = { neighbours: 12, correlation: 0.5 }
/**
 * The largest correlation. Above it hardly any runs would count, and a few runs cannot distinguish
 * 0.9 from 1.
 */
const MOST = 0.9

/**
 * Returns the factor by which the variance of the difference of two means exceeds that of
 * independent values: 1 or more. Each side is a series in the order of time, in which a part r of
 * each value's deviation carries over to the next (a machine that warms up, a target that becomes
 * busier). Then the mean of n values has the variance s² f / n with f = 1 + 2 Σ (1 - k/n) r^k, and
 * the spread of a side shows only (n - f) / (n - 1) of s² (Bayley and Hammersley, "The 'effective'
 * number of independent observations in an autocorrelated time series", 1946).
 *
 * The correlation r is estimated from neighbours of both sides. A dozen runs tell it badly, so it
 * is drawn towards one half with the weight of twelve neighbours more: the alternative finds more
 * where runs are independent, and raises false alarms where they are not.
 */
export function carryOverInflation(first: readonly number[], second: readonly number[]): number {
  const r = carriedOver(first, second)
  const sides = [first, second].map(({ length: n }) => ({ n, f: seriesFactor(n, r) }))
  const sum = (of: (side: { n: number; f: number }) => number): number =>
    sides.reduce((total, side) => total + of(side), 0)
  const mean = sum(({ n, f }) => f / n) / sum(({ n }) => 1 / n)
  const spread = sum(({ n, f }) => n - f) / sum(({ n }) => n - 1)
  return mean / spread
}

/** Estimates how much a run resembles the one before it, from 0 to `MOST`. */
function carriedOver(first: readonly number[], second: readonly number[]): number {
  let [products, squares] = [0, 0]
  for (const side of [first, second]) {
    const center = side.reduce((sum, value) => sum + value, 0) / side.length
    const deviations = side.map((value) => value - center)
    for (const [i, own] of deviations.entries()) {
      squares += own * own
      products += own * (deviations[i - 1] ?? 0)
    }
  }
  const all = first.length + second.length
  const seen = squares === 0 ? 0 : products / squares
  // The deviations from the mean of so few values resemble each other less than those from the true
  // mean.
  const unbiased = seen + (2 + 3 * Math.max(0, seen)) / all
  const neighbours = all - 2
  const sum = neighbours * unbiased + PRIOR.neighbours * PRIOR.correlation
  return Math.min(MOST, Math.max(0, sum / (neighbours + PRIOR.neighbours)))
}

function seriesFactor(n: number, r: number): number {
  let factor = 1
  for (let k = 1; k < n; k++) factor += 2 * (1 - k / n) * r ** k
  return factor
}
