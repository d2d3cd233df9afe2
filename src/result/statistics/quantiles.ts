/**
 * Computes quantiles, such as the p95, with their 95 % intervals, over samples that may contain
 * right-censored times and events that never come.
 */
import type { Bucket, Lifetimes, Sample } from './sample.ts'
import { sizeOf } from './sample.ts'
import { sumOf } from './moments.ts'
import { logBinomial } from './beta.ts'

const CONFIDENCE = 0.95

/**
 * Confidence intervals for quantiles by order statistics: which ranks of a sorted sample, from 1,
 * bracket the true quantile. Null if the sample is too small for a bound on that side.
 */
interface RankInterval {
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

/**
 * Kaplan and Meier's product-limit estimate ("Nonparametric estimation from incomplete
 * observations", 1958).
 */
interface SurvivalStep {
  value: number
  /** Estimated share, 0 to 1, that has ended by `value`. */
  ended: number
  /** Size of the uncensored sample that would be as certain of `ended`, by Greenwood's variance. */
  effective: number
}

/**
 * One step for each value at which something ended, increasing. At equal values, ended ones come
 * before censored ones. Events that never come are observed beyond the last step.
 */
export function survivalCurve(lifetimes: Lifetimes): readonly SurvivalStep[] {
  const { ended, censored } = lifetimes
  const watched = sizeOf(lifetimes)
  const [ends, leavers] = [ended.buckets(), censored.buckets()]
  const known = latest.get(ends)
  if (known?.leavers === leavers && known.watched === watched) return known.curve
  const curve = productLimit(ends, leavers, watched)
  latest.set(ends, { leavers, watched, curve })
  return curve
}

/**
 * The curve of the same lifetimes is asked for once for each quantile of a figure. A sample that
 * has recorded more has other buckets.
 */
const latest = new WeakMap<
  readonly Bucket[],
  { leavers: readonly Bucket[]; watched: number; curve: readonly SurvivalStep[] }
>()

function productLimit(
  ends: readonly Bucket[],
  leavers: readonly Bucket[],
  all: number,
): SurvivalStep[] {
  const curve: SurvivalStep[] = []
  let watched = all
  let next = 0
  let survival = 1
  let greenwood = 0
  for (const { value, count } of ends) {
    for (; next < leavers.length && leavers[next]!.value < value; next++) {
      watched -= leavers[next]!.count
    }
    survival *= (watched - count) / watched
    greenwood += count / (watched * (watched - count))
    curve.push({
      value,
      ended: 1 - survival,
      effective:
        survival > 0
          ? (1 - survival) / (survival * greenwood)
          : (curve.at(-1)?.effective ?? watched),
    })
    watched -= count
  }
  return curve
}

/**
 * A quantile in the sample's unit; `never` if it lies among events that never come; null if it
 * cannot be determined.
 */
export type Reach = number | 'never' | null

/** A time, or null if there is none. */
export function finite(reach: Reach): number | null {
  return reach === 'never' ? null : reach
}

export interface QuantileEstimate {
  /**
   * Null if fewer than `needed` were seen, or if too many are censored for the quantile to be
   * reached.
   */
  value: Reach
  /** Null if the sample gives no bound on that side. A bound may exist where the value does not. */
  low: Reach
  high: Reach
  /**
   * What a value that lies beyond what was watched is at least: the largest of the lower quantiles
   * that have a value, or `low` if that is larger. Null where there is a value, or where too few
   * were seen.
   */
  exceeds: number | null
  /** Observations, including censored ones and those that never end. */
  n: number
  /** Smallest n with a two-sided interval. */
  needed: number
}

interface EstimateOptions {
  /**
   * The number of independent observations that would be as informative, if these depend on each
   * other; taken from 1 to n, default n.
   */
  effective?: number
}

/** Guards the ceiling of q * n and comparisons of survival against rounding of a product. */
const ROUNDING = 1e-9

/**
 * Quantile `q` (0 < q < 1): the smallest value that at least a share `q` does not exceed, where
 * what never ends is longer than everything else. Its interval is by order statistics: the ranks of
 * `rankInterval` in an independent sample of the effective size, rounded down, as levels of this
 * sample. With censored observations, both are read from the Kaplan-Meier curve, and the size is
 * also reduced by the share that Greenwood's variance takes at the quantile (Dorey and Korn,
 * "Effective sample sizes for confidence intervals for survival probabilities", 1987), which is
 * nothing if nothing is censored. Whether censored ones would have ended is not guessed: a quantile
 * is `never` only if it is so even when all of them end. Unknown ones may lie anywhere: the
 * interval holds the quantile wherever they lie, and the value, that of the known ones, is null
 * where it is open above.
 */
export function estimateQuantile(
  lifetimes: Lifetimes,
  q: number,
  options: EstimateOptions = {},
): QuantileEstimate {
  const n = sizeOf(lifetimes)
  const needed = neededFor(q)
  if (n === 0) return { value: null, low: null, high: null, exceeds: null, n, needed }
  const { effective = n } = options
  const reach = levelsOf(lifetimes)
  const size = Math.max(1, Math.floor(reach.sizeAt(q) * Math.min(1, effective / n) + ROUNDING))
  const ranks = rankInterval(size, q)
  const isHidden = reach.valueAt(q) === null
  const low = ranks.low === null ? null : reach.boundFor(ranks.low / size)
  return {
    value: n < needed || isHidden ? null : reach.estimateAt(q),
    low,
    high: ranks.high === null ? null : reach.valueAt(ranks.high / size),
    exceeds: n < needed || !isHidden ? null : largerOf(low, reach.largest),
    n,
    needed,
  }
}

/** Null beside `never`, which is larger than any time. */
function largerOf(low: Reach, largest: number | null): number | null {
  return low === 'never' || largest === null ? finite(low) : Math.max(low ?? 0, largest)
}

/**
 * As `estimateQuantile`, of observations that depend on each other the more, the longer the times
 * beyond which they lie: `effectiveAt` gives the effective size for what lies beyond a time, which
 * is the estimate itself, or where that is none, Infinity for those that never end.
 */
export function estimateCorrelated(
  lifetimes: Lifetimes,
  q: number,
  effectiveAt: (micros: number) => number,
): QuantileEstimate & { effective: number | null } {
  const plain = estimateQuantile(lifetimes, q)
  if (plain.n === 0) return { ...plain, effective: null }
  const effective = effectiveAt(typeof plain.value === 'number' ? plain.value : Infinity)
  const estimate = effective < plain.n ? estimateQuantile(lifetimes, q, { effective }) : plain
  return { ...estimate, effective }
}

/** The rank of quantile `q` among `n` sorted values, from 1. */
export function rankOf(n: number, q: number): number {
  return Math.min(n, Math.max(1, Math.ceil(q * n - ROUNDING)))
}

/** The quantile `q` by the nearest rank, of values that rise; null of none. */
export function quantileOf(rising: ArrayLike<number>, q: number): number | null {
  return rising[rankOf(rising.length, q) - 1] ?? null
}

/** Quantiles at a share: one that was observed, and the middle and a band of replays. */
export interface QuantileBand {
  share: number
  observed: number
  predicted: number
  low: number
  high: number
}

/**
 * At each of the shares, without those at which nothing is known. `within`: the part of the replays
 * that lies within the band. All values rise.
 */
export function quantileBands(
  shares: readonly number[],
  observed: ArrayLike<number>,
  replays: readonly ArrayLike<number>[],
  within: number,
): QuantileBand[] {
  return shares.flatMap((share) => {
    const at = quantileOf(observed, share)
    const each = replays.flatMap((values) => quantileOf(values, share) ?? [])
    const rising = each.toSorted((a, b) => a - b)
    const [predicted, low, high] = [0.5, (1 - within) / 2, (1 + within) / 2].map((q) =>
      quantileOf(rising, q),
    )
    if (at === null || predicted == null || low == null || high == null) return []
    return [{ share, observed: at, predicted, low, high }]
  })
}

/** As `quantileOf`, of a sample that was counted. */
export function quantileIn(sample: Pick<Sample, 'n' | 'atRank'>, q: number): number | null {
  return sample.n === 0 ? null : sample.atRank(rankOf(sample.n, q))
}

/**
 * The quantile `q` of what was counted in rows between rising edges above 0, and of no value of
 * which more is known: evenly by the logarithm within its row. NaN where nothing was counted.
 */
export function quantileInRows(
  counts: readonly number[],
  edges: readonly number[],
  q: number,
): number {
  let wanted = q * sumOf(counts)
  const row = counts.findIndex((count) => {
    if (count > 0 && wanted <= count) return true
    wanted -= count
    return false
  })
  const [low = Number.NaN, high = low] = edges.slice(row, row + 2)
  return low * (high / low) ** (wanted / counts[row]!)
}

/** A value, and how much of all it stands for. */
export interface WeightedValue {
  value: number
  /** The weights of all sum to 1. */
  weight: number
}

/** As `quantileOf`, of values with weights: the first up to which a share `q` of them lies. */
export function weightedQuantile(rising: readonly WeightedValue[], q: number): number | null {
  let sum = 0
  const reached = rising.find(({ weight }) => (sum += weight) >= q - ROUNDING)
  return (reached ?? rising.at(-1))?.value ?? null
}

/** Lifetimes by level, the share from 0 to 1 that has ended. */
interface Levels {
  /** The value itself, for the quantile that is asked for. */
  estimateAt(level: number): Reach
  valueAt(level: number): Reach
  /** `valueAt`, or a lower bound if that cannot be determined. */
  boundFor(level: number): Reach
  /** Size of the uncensored sample that would be as certain at this level. */
  sizeAt(level: number): number
  /** The largest time that any quantile is estimated as; null if none is. */
  largest: number | null
}

function levelsOf(lifetimes: Lifetimes): Levels {
  if ((lifetimes.unknown ?? 0) > 0) return inBounds(lifetimes)
  return lifetimes.censored.n === 0 ? inOrder(lifetimes) : inSurvival(lifetimes)
}

function inOrder({ ended, never }: Lifetimes): Levels {
  const n = ended.n + never
  const valueAt = (level: number) => atRank(ended, rankOf(n, level))
  return { estimateAt: valueAt, valueAt, boundFor: valueAt, sizeAt: () => n, largest: ended.max }
}

/** Beside unknown ones: bounds with all of them at the top, or at the bottom. */
function inBounds(lifetimes: Lifetimes): Levels {
  const { ended, unknown = 0 } = lifetimes
  const n = sizeOf(lifetimes)
  const valueAt = (level: number) => {
    const rank = rankOf(n, level)
    return rank > ended.n ? null : ended.atRank(rank)
  }
  return {
    estimateAt: (level) => ended.atRank(rankOf(ended.n, level)),
    valueAt,
    boundFor: (level) => {
      const rank = rankOf(n, level) - unknown
      return rank < 1 ? null : ended.atRank(rank)
    },
    sizeAt: () => n,
    largest: ended.n === 0 ? null : ended.atRank(rankOf(ended.n, ended.n / n)),
  }
}

function atRank(ended: Sample, rank: number): Reach {
  return rank > ended.n ? 'never' : ended.atRank(rank)
}

function inSurvival(lifetimes: Lifetimes): Levels {
  const n = sizeOf(lifetimes)
  const curve = survivalCurve(lifetimes)
  const valueAt = (level: number) =>
    stepAt(curve, level)?.value ?? (rankOf(n, level) > n - lifetimes.never ? 'never' : null)
  return {
    estimateAt: valueAt,
    valueAt,
    boundFor: (level) => valueAt(level) ?? watchedFor(lifetimes, rankOf(n, level)),
    sizeAt: (level) => (stepAt(curve, level) ?? curve.at(-1))?.effective ?? n,
    largest: curve.at(-1)?.value ?? null,
  }
}

/** The first step of the rising curve that reaches the level. */
function stepAt(curve: readonly SurvivalStep[], level: number): SurvivalStep | undefined {
  let low = 0
  let high = curve.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (curve[middle]!.ended >= level - ROUNDING) high = middle
    else low = middle + 1
  }
  return curve[low]
}

/**
 * The time at a rank if all are taken as observed: censored ones would have been longer, so it can
 * only be too low.
 */
function watchedFor({ ended, censored }: Lifetimes, rank: number): Reach {
  const all: Bucket[] = [...ended.buckets(), ...censored.buckets()]
  let seen = 0
  for (const { value, count } of all.sort((a, b) => a.value - b.value)) {
    seen += count
    if (seen >= rank) return value
  }
  return 'never'
}

/** The median of values in any order, one at least. */
export function median(values: readonly number[]): number {
  return medianOfRising(values.toSorted((a, b) => a - b))
}

/** The median of rising values, one at least. */
export function medianOfRising(rising: readonly number[]): number {
  const half = rising.length / 2
  return (rising[Math.ceil(half) - 1]! + rising[Math.floor(half)]!) / 2
}
