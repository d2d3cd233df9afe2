/** Quantiles with their 95 % confidence, over samples that may hold right-censored times. */
import { neededFor, rankInterval } from './ranks.ts'
import type { Bucket, Lifetimes, Sample } from './sample.ts'
import type { SurvivalStep } from './survival.ts'
import { survivalCurve } from './survival.ts'

/** Values in the sample's unit. */
export interface Estimate {
  /** Null when fewer than `needed` were seen, or when too much is censored for the quantile to be reached. */
  value: number | null
  /** Null where the sample gives no bound on that side. A bound may stand where the value cannot. */
  low: number | null
  high: number | null
  /** Observations, censored ones included. */
  n: number
  /** Smallest n with a two-sided interval. */
  needed: number
}

/** Guards the ceiling of q * n and comparisons of survival against the last bits of a product. */
const ROUNDING = 1e-9

/**
 * Quantile `q` (0 < q < 1): the smallest value that at least a share `q` does not exceed, its interval by order statistics
 * (`rankInterval`). With censored observations, by Kaplan and Meier: the interval's ranks are then taken in a sample of the effective
 * size that Greenwood's variance gives at the quantile (Dorey and Korn, "Effective sample sizes for confidence intervals for survival
 * probabilities", 1987), which is n itself when nothing is censored.
 */
export function estimateQuantile(lifetimes: Lifetimes, q: number): Estimate {
  return lifetimes.censored.n === 0 ? fromOrder(lifetimes.ended, q) : fromSurvival(lifetimes, q)
}

function fromOrder(sample: Sample, q: number): Estimate {
  const { n } = sample
  const needed = neededFor(q)
  if (n === 0) return { value: null, low: null, high: null, n, needed }
  const ranks = rankInterval(n, q)
  return {
    value: n < needed ? null : sample.atRank(rankOf(n, q)),
    low: ranks.low === null ? null : sample.atRank(ranks.low),
    high: ranks.high === null ? null : sample.atRank(ranks.high),
    n,
    needed,
  }
}

/** The rank of quantile `q` among `n` sorted values, from 1. */
export function rankOf(n: number, q: number): number {
  return Math.min(n, Math.max(1, Math.ceil(q * n - ROUNDING)))
}

function fromSurvival(lifetimes: Lifetimes, q: number): Estimate {
  const n = lifetimes.ended.n + lifetimes.censored.n
  const needed = neededFor(q)
  const curve = survivalCurve(lifetimes)
  const reached = stepAt(curve, q)
  const size = Math.max(1, Math.floor((reached ?? curve.at(-1))?.effective ?? n))
  const ranks = rankInterval(size, q)
  const low = ranks.low === null ? undefined : stepAt(curve, ranks.low / size)
  const high = ranks.high === null ? undefined : stepAt(curve, ranks.high / size)
  return {
    value: n < needed || reached === undefined ? null : reached.value,
    low: low?.value ?? watchedFor(lifetimes, q),
    high: high?.value ?? null,
    n,
    needed,
  }
}

function stepAt(curve: readonly SurvivalStep[], level: number): SurvivalStep | undefined {
  return curve.find((step) => step.ended >= level - ROUNDING)
}

/**
 * The lower bound of a quantile that was never reached: what is censored would have been longer than it was watched, so the ranks of the
 * times as they were watched can only be too low.
 */
function watchedFor(lifetimes: Lifetimes, q: number): number | null {
  const { ended, censored } = lifetimes
  const rank = rankInterval(ended.n + censored.n, q).low
  if (rank === null) return null
  const all: Bucket[] = [...ended.buckets(), ...censored.buckets()]
  let seen = 0
  for (const { value, count } of all.sort((a, b) => a.value - b.value)) {
    seen += count
    if (seen >= rank) return value
  }
  return null
}
