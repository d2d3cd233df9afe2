/**
 * What a sample of a given size can decide about a bound on a share, before it is drawn and while
 * it grows.
 */
import { atLeast } from './beta.ts'
import type { ShareBound } from './shares.ts'
import {
  badLimit,
  lastWhere,
  mostSurelyBelow,
  surelyAbove,
  surelyBelow,
  TAIL,
  fewestSurelyAbove,
} from './shares.ts'

/** Whether the whole 95 % interval judges, or the value alone. */
type Judgement = 'interval' | 'value'

interface CountStanding {
  /** Known to be bad, whether they have ended or not. */
  bad: number
  /** The most observations that there will be. */
  total: number
  bound: ShareBound
  /** Default `interval`. */
  judge?: Judgement
  /**
   * The number of independent observations as informative as these, as a share of the total, above
   * 0 and at most 1. Default 1.
   */
  independentPart?: number
}

/**
 * Whether the whole sample will be judged `missed` even if all observations not yet known to be bad
 * turn out good. Repeated looks need no correction, because a final count is predicted. If
 * observations depend on each other, a count of bad ones proves less: of the waits in a queue with
 * 4 servers at loads from 0.67 to 0.75, which keep the bound, 1 to 4 % reach a count that would
 * prove a miss of independent ones (bench/results/calibration.md), so the interval uses the
 * effective size. Fewer observations than `total` in the end only make it more certain.
 */
export function missIsCertain({
  bad,
  total,
  bound,
  judge = 'interval',
  independentPart = 1,
}: CountStanding): boolean {
  if (judge === 'value') return bad >= badNeeded(total, bound, judge)
  const size = total * independentPart
  return surelyAbove(Math.min(bad, total) * independentPart, size, badLimit(bound))
}

/**
 * The fewest bad ones among `total` with which a bound is judged `missed`; Infinity if it never is.
 */
export function badNeeded(total: number, bound: ShareBound, judge: Judgement = 'interval'): number {
  const limit = badLimit(bound)
  const fewest = judge === 'interval' ? fewestSurelyAbove(total, limit) : fewestOver(total, bound)
  return fewest > total ? Infinity : fewest
}

/** The first count whose share exceeds the bound; guarded against rounding of the product. */
function fewestOver(total: number, bound: ShareBound): number {
  const limit = badLimit(bound) * total
  const whole = Math.round(limit)
  const isWhole = Math.abs(limit - whole) < 1e-9 * Math.max(1, total)
  if (!isWhole) return Math.ceil(limit)
  return bound.orEqual === true ? whole + 1 : whole
}

/**
 * Fewest observations whose whole 95 % interval can lie on the good side, which is when all are
 * good: 72 for a share below 5 % (and so for a p95 below a bound), 368 below 1 %. Null if no number
 * is enough: below 0, above 1.
 */
export function leastToDecide(bound: ShareBound): number | null {
  const limit = badLimit(bound)
  if (limit <= 0) return null
  if (limit >= 1) return 1
  return Math.floor(Math.log(TAIL) / Math.log1p(-limit)) + 1
}

/**
 * Probability that `n` independent observations with a true share `truth` put the whole interval on
 * the good side.
 */
export function chanceToMeet(n: number, bound: ShareBound, truth: number): number {
  const most = mostSurelyBelow(n, badLimit(bound))
  return 1 - chanceOfAtLeast(most + 1, n, badTruth(bound, truth))
}

function badTruth({ side }: ShareBound, truth: number): number {
  return side === 'below' ? truth : 1 - truth
}

function chanceOfAtLeast(k: number, n: number, p: number): number {
  if (p <= 0) return k <= 0 ? 1 : 0
  if (p >= 1) return k <= n ? 1 : 0
  return Math.min(1, Math.max(0, atLeast(k, n, p)))
}

const MOST_MORE = 1_000_000

/**
 * Returns how many more observations would put the whole interval on one side of the bound if hits
 * continued at the present rate and dependence stayed the same (`effective` of n independent ones,
 * default n). 0 if it already lies there; null if n is 0, the share equals the bound, or a million
 * more would not be enough.
 */
export function moreToSettle(
  hits: number,
  n: number,
  bound: ShareBound,
  effective = n,
): number | null {
  if (n === 0) return null
  const limit = badLimit(bound)
  const bad = (bound.side === 'below' ? hits : n - hits) / n
  const isOpen = (more: number) => {
    const size = (n + more) * (effective / n)
    return !surelyBelow(bad * size, size, limit) && !surelyAbove(bad * size, size, limit)
  }
  if (!isOpen(0)) return 0
  if (bad === limit || isOpen(MOST_MORE)) return null
  return lastWhere(0, MOST_MORE, isOpen) + 1
}

/**
 * Arrivals within which a queue at load `rho` (0 to 1) forgets its state: rho / (1 - sqrt(rho))^2,
 * 20 at 0.67, 140 at 0.85, 342 at 0.9 (the relaxation time of M/M/1, 1 / (mu (1 - sqrt(rho))^2),
 * times its rate of arrivals). Infinite from a load of 1 on.
 */
export function relaxationArrivals(rho: number): number {
  return rho >= 1 ? Infinity : rho / (1 - Math.sqrt(rho)) ** 2
}

/** Up to this load, intervals hold at any size. */
const HARMLESS_LOAD = 0.7

const RELAXATIONS = 200

/**
 * Arrivals from which on an interval over waits in a queue at load `rho` has its nominal coverage:
 * none up to 0.7.
 */
export function arrivalsForHonestInterval(rho: number): number {
  return rho <= HARMLESS_LOAD ? 0 : RELAXATIONS * relaxationArrivals(rho)
}
