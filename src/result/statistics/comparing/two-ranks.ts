/**
 * Computes how far two samples lie apart by their ranks alone, whatever their distributions are.
 */
import { sumOf } from '../moments.ts'
import { medianOfRising } from '../quantiles.ts'

interface RankDifference {
  /**
   * Hodges and Lehmann's shift: the median of all differences, second minus first; null if a value
   * is not finite.
   */
  value: number | null
  /** The ends of its interval; also null if there are too few values for that confidence. */
  low: number | null
  high: number | null
  /** The exact two-sided p value of Mann and Whitney's test. */
  p: number
}

/** The most values per side: with more, counting all orders takes too long. */
const MOST_VALUES = 20

/**
 * The test of Mann and Whitney ("On a test of whether one of two random variables is stochastically
 * larger than the other", 1947), with the exact distribution of ranks among all ways to divide the
 * values into two samples, ties included; and the shift of Hodges and Lehmann ("Estimates of
 * location based on rank tests", 1963), whose interval inverts the test. Values may be Infinity.
 * Null for an empty side, and for one of more than 20 values.
 */
export function compareRanks(
  first: readonly number[],
  second: readonly number[],
  confidence = 0.95,
): RankDifference | null {
  const [n, m] = [first.length, second.length]
  if (Math.min(n, m) === 0 || Math.max(n, m) > MOST_VALUES) return null
  const ranks = doubledRanks([...first, ...second])
  const isTied = new Set(ranks).size < ranks.length
  const untied = untiedChances(n, m)
  const chances = isTied ? chancesOfSums(ranks, n) : untied
  const sum = sumOf(ranks.slice(0, n))
  const below = sumOf(chances.slice(0, sum + 1))
  const above = sumOf(chances.slice(sum))
  const p = Math.min(1, 2 * Math.min(below, above))
  if (![...first, ...second].every(Number.isFinite))
    return { value: null, low: null, high: null, p }
  const differences = first.flatMap((a) => second.map((b) => b - a)).sort((a, b) => a - b)
  const cut = cutOff(n, m, untied, (1 - confidence) / 2)
  const [low, high] =
    cut === null ? [null, null] : [differences[cut]!, differences[n * m - 1 - cut]!]
  return { value: medianOfRising(differences), low, high, p }
}

/**
 * The smallest p value that ranks of so many values per side can have: that of two sides of which
 * one lies wholly above the other, 2 divided by the number of ways to divide the values.
 */
export function leastRankP(n: number, m: number): number {
  let ways = 1
  for (let i = 1; i <= n; i++) ways *= (m + i) / i
  return Math.min(1, 2 / ways)
}

/** Whether all values of one side are above all of the other; so it is for sides of any size. */
export function areSeparate(first: readonly number[], second: readonly number[]): boolean {
  return Math.max(...first) < Math.min(...second) || Math.max(...second) < Math.min(...first)
}

/** Returns twice the ranks, in the order of the values; equal values share their mean rank. */
function doubledRanks(values: readonly number[]): number[] {
  return values.map((value) => {
    const less = values.filter((other) => other < value).length
    const same = values.filter((other) => other === value).length
    return 2 * less + same + 1
  })
}

/** Those of samples without ties, by their sizes, of which there are few. */
const known = new Map<number, readonly number[]>()

/** Returns `chancesOfSums` of doubled ranks without ties, which depend on the sizes alone. */
function untiedChances(n: number, m: number): readonly number[] {
  const key = n * (MOST_VALUES + 1) + m
  const chances =
    known.get(key) ??
    chancesOfSums(
      Array.from({ length: n + m }, (_, i) => 2 * (i + 1)),
      n,
    )
  known.set(key, chances)
  return chances
}

/**
 * Returns the probability of each sum of `size` of the ranks, drawn without replacement; the index
 * is the sum.
 */
function chancesOfSums(ranks: readonly number[], size: number): number[] {
  const most = sumOf(ranks)
  let reached = 0
  const ways = Array.from({ length: size + 1 }, () => new Float64Array(most + 1))
  ways[0]![0] = 1
  for (const rank of ranks) {
    reached += rank
    for (let taken = size; taken > 0; taken--) {
      const [from, to] = [ways[taken - 1]!, ways[taken]!]
      for (let sum = reached; sum >= rank; sum--) to[sum]! += from[sum - rank]!
    }
  }
  const all = sumOf(ways[size]!)
  return [...ways[size]!].map((count) => count / all)
}

/**
 * Returns the number of differences to leave out at each end; null if even the interval of all of
 * them is too narrow. `chances` are those of doubled ranks without ties.
 */
function cutOff(n: number, m: number, chances: readonly number[], tail: number): number | null {
  const least = n * (n + 1)
  let below = 0
  for (let cut = 0; cut < n * m; cut++) {
    // U is the sum of the ranks minus its least value; everything here is doubled.
    below += chances[least + 2 * cut]!
    if (below > tail) return cut === 0 ? null : cut - 1
  }
  return null
}
