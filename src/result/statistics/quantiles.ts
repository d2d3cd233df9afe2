/**
 * Computes quantiles, such as the p95, with their 95 % intervals, over samples that may contain
 * right-censored times and events that never come.
 */
import { neededFor, rankInterval } from './ranks.ts'
import type { Bucket, Lifetimes, Sample } from './sample.ts'
import { sizeOf } from './sample.ts'
import type { SurvivalStep } from './survival.ts'
import { survivalCurve } from './survival.ts'

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
  /** Observations, including censored ones and those that never end. */
  n: number
  /** Smallest n with a two-sided interval. */
  needed: number
}

export interface EstimateOptions {
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
 * is `never` only if it is so even when all of them end.
 */
export function estimateQuantile(
  lifetimes: Lifetimes,
  q: number,
  options: EstimateOptions = {},
): QuantileEstimate {
  const n = sizeOf(lifetimes)
  const needed = neededFor(q)
  if (n === 0) return { value: null, low: null, high: null, n, needed }
  const { effective = n } = options
  const reach = lifetimes.censored.n === 0 ? inOrder(lifetimes) : inSurvival(lifetimes)
  const size = Math.max(1, Math.floor(reach.sizeAt(q) * Math.min(1, effective / n) + ROUNDING))
  const ranks = rankInterval(size, q)
  return {
    value: n < needed ? null : reach.valueAt(q),
    low: ranks.low === null ? null : reach.boundFor(ranks.low / size),
    high: ranks.high === null ? null : reach.valueAt(ranks.high / size),
    n,
    needed,
  }
}

/** The rank of quantile `q` among `n` sorted values, from 1. */
export function rankOf(n: number, q: number): number {
  return Math.min(n, Math.max(1, Math.ceil(q * n - ROUNDING)))
}

/** The quantile `q` by the nearest rank, of values that rise; null of none. */
export function quantileOf(rising: ArrayLike<number>, q: number): number | null {
  return rising[rankOf(rising.length, q) - 1] ?? null
}

/** Lifetimes by level, the share from 0 to 1 that has ended. */
interface Levels {
  valueAt(level: number): Reach
  /** `valueAt`, or a lower bound if that cannot be determined. */
  boundFor(level: number): Reach
  /** Size of the uncensored sample that would be as certain at this level. */
  sizeAt(level: number): number
}

function inOrder({ ended, never }: Lifetimes): Levels {
  const n = ended.n + never
  const valueAt = (level: number) => atRank(ended, rankOf(n, level))
  return { valueAt, boundFor: valueAt, sizeAt: () => n }
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
    valueAt,
    boundFor: (level) => valueAt(level) ?? watchedFor(lifetimes, rankOf(n, level)),
    sizeAt: (level) => (stepAt(curve, level) ?? curve.at(-1))?.effective ?? n,
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

/** The median of rising values, one at least. */
export function middle(rising: readonly number[]): number {
  const half = rising.length / 2
  return (rising[Math.ceil(half) - 1]! + rising[Math.floor(half)]!) / 2
}
