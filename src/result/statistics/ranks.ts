/**
 * Confidence intervals for quantiles by order statistics: which ranks of a sorted sample bracket
 * the true quantile.
 */
import { logBinomial } from './distributions/binomial.ts'

const CONFIDENCE = 0.95

/** 1-based ranks; null if the sample is too small for a bound on that side. */
export interface RankInterval {
  low: number | null
  high: number | null
}

/**
 * Smallest n for which a two-sided 95 % interval of quantile `q` (0 < q < 1) exists: the first n
 * with 1 - q^n - (1 - q)^n >= 0.95. It is 6 for p50, 29 for p90, 59 for p95, 299 for p99, 2995 for
 * p99.9.
 */
export function neededFor(q: number): number {
  const before = known.get(q)
  if (before !== undefined) return before
  const needed = searchNeeded(q)
  known.set(q, needed)
  return needed
}

/** Keyed by quantile: few are ever asked for. */
const known = new Map<number, number>()

function searchNeeded(q: number): number {
  const tail = Math.max(q, 1 - q)
  let n = Math.max(2, Math.floor(Math.log(1 - CONFIDENCE) / Math.log(tail)) - 1)
  while (1 - q ** n - (1 - q) ** n < CONFIDENCE) n++
  return n
}

/**
 * Ranks (l, u) so that the interval from the l-th to the u-th smallest of `n` independent values
 * holds quantile `q` with at least 95 %: the number of values below the quantile is binomial B(n,
 * q), and P(l <= B < u) >= 0.95. The ranks grow from the mode towards the likelier side, which
 * gives the fewest ranks (Hahn and Meeker, "Statistical Intervals", section 5.2). Below
 * `neededFor(q)` only the side with room is bounded, with 97.5 %.
 */
export function rankInterval(n: number, q: number): RankInterval {
  if (n < neededFor(q)) return q >= 0.5 ? lowerOnly(n, q) : upperOnly(n, q)
  const odds = q / (1 - q)
  let first = Math.min(n - 1, Math.max(1, Math.floor((n + 1) * q)))
  let last = first
  let mass = Math.exp(logBinomial(first, n, q))
  let before = (mass * first) / ((n - first + 1) * odds)
  let after = (mass * (n - last) * odds) / (last + 1)
  while (mass < CONFIDENCE && (first > 1 || last < n - 1)) {
    if (last === n - 1 || (first > 1 && before >= after)) {
      mass += before
      first--
      before *= first / ((n - first + 1) * odds)
    } else {
      mass += after
      last++
      after *= ((n - last) * odds) / (last + 1)
    }
  }
  return { low: first, high: last + 1 }
}

/**
 * The largest rank l with P(B >= l) >= 97.5 %, summed from the top: P(B = n) = q^n is over 5 % for
 * so small an n.
 */
function lowerOnly(n: number, q: number): RankInterval {
  const odds = q / (1 - q)
  let rank = n
  let term = q ** n
  let mass = term
  while (rank > 0 && mass < (1 + CONFIDENCE) / 2) {
    term *= rank / ((n - rank + 1) * odds)
    mass += term
    rank--
  }
  return { low: rank === 0 ? null : rank, high: null }
}

function upperOnly(n: number, q: number): RankInterval {
  const mirrored = lowerOnly(n, 1 - q).low
  return { low: null, high: mirrored === null ? null : n + 1 - mirrored }
}
