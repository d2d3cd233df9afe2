/** The two-sample Kolmogorov-Smirnov test: could two samples come from one distribution? */
import { assert } from '../../base/assert.ts'

interface KolmogorovSmirnov {
  /** Sizes of the two samples. */
  n: number
  m: number
  /** Largest distance between the two empirical distribution functions, 0 to 1. */
  distance: number
  /**
   * Probability of such a distance, or a larger one, if both come from one continuous distribution.
   */
  p: number
  method: 'exact' | 'asymptotic'
}

/** Paths are counted exactly up to about 2,000 values against 2,000 (20 ms). */
const MOST_EXACT_CELLS = 4_000_000

/**
 * Two-sided. Exact by counting lattice paths while there are few enough, otherwise by the limiting
 * distribution, which gives larger p than the exact one. Equal values across the samples (times
 * come in whole microseconds) make p too large, never too small: the distance is then taken only
 * between values. Neither sample may be empty.
 */
export function kolmogorovSmirnov(
  first: readonly number[],
  second: readonly number[],
): KolmogorovSmirnov {
  const [n, m] = [first.length, second.length]
  assert(n > 0 && m > 0, 'a comparison needs two samples')
  const [a, b] = [ascending(first), ascending(second)]
  const steps = Math.max(largestLead(a, b), largestLead(b, a))
  const method = n * m <= MOST_EXACT_CELLS ? 'exact' : 'asymptotic'
  const distance = steps / (n * m)
  const p =
    method === 'exact' ? exactP(n, m, steps) : limitP(distance * Math.sqrt((n * m) / (n + m)))
  return { n, m, distance, p, method }
}

/**
 * The maximum of F(x) - G(x), at least 0, in units of 1 / (n m), so that it is a whole number. Both
 * samples are sorted.
 */
function largestLead(a: Float64Array, b: Float64Array): number {
  let [i, j, largest] = [0, 0, 0]
  while (i < a.length) {
    const value = a[i]!
    while (i < a.length && a[i] === value) i++
    while (j < b.length && b[j]! <= value) j++
    largest = Math.max(largest, i * b.length - j * a.length)
  }
  return largest
}

function ascending(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort()
}

/**
 * P(D >= steps / (n m)): every order of the pooled values is a path from (0, 0) to (n, m), all
 * equally likely, and this counts those that leave the band |i m - j n| < steps (Hodges, "The
 * significance probability of the Smirnov two-sample test", 1957). The recursion carries the paths
 * that have left the band, not those inside: this avoids differences of nearly equal numbers, so
 * that small p are accurate too (Viehmann, arXiv:2102.08037, 2021).
 */
function exactP(n: number, m: number, steps: number): number {
  const left = new Float64Array(m + 1)
  for (let i = 0; i <= n; i++) {
    for (let j = 0; j <= m; j++) {
      if (Math.abs(i * m - j * n) >= steps) left[j] = 1
      else if (i === 0 && j === 0) left[j] = 0
      else left[j] = (i * left[j]! + (j === 0 ? 0 : j * left[j - 1]!)) / (i + j)
    }
  }
  return left[m]!
}

/**
 * Below this, the alternating series converges slowly, and the other form of the same function
 * converges fast.
 */
const SERIES_CHANGE = 1.18
const TERMS = 20

/**
 * Returns 1 - L(z), z = D sqrt(n m / (n + m)), after Smirnov, "Table for estimating the goodness of
 * fit of empirical distributions", 1948. Below z = 1.18 it uses the theta function's other series.
 */
function limitP(z: number): number {
  if (z <= 0) return 1
  let sum = 0
  for (let k = 1; k <= TERMS; k++) {
    sum +=
      z < SERIES_CHANGE
        ? Math.exp(-(((2 * k - 1) * Math.PI) ** 2) / (8 * z * z))
        : (k % 2 === 1 ? 2 : -2) * Math.exp(-2 * (k * z) ** 2)
  }
  return z < SERIES_CHANGE ? 1 - (Math.sqrt(2 * Math.PI) / z) * sum : sum
}
