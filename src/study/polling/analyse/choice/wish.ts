/** What the user knows, and how well a strategy does by it. */
import { unreachable } from '../../../../base/assert.ts'
import type { Micros, Rate } from '../../../../base/units.ts'
import { MICROS_PER_SECOND } from '../../../../base/units.ts'
import type { TraceFigures } from '../replay/trace.ts'

export interface DelayPromise {
  statistic: 'mean' | 'p50' | 'p95'
  /** Detection delays lie below it. */
  boundMicros: Micros
}

export interface Prices {
  poll: number
  /** The price of a second by which the end of an execution is known late. */
  delaySecond: number
}

/** What must hold, and what shall be as little as possible while it does. */
export interface Wish {
  quota: Rate | null
  promise: DelayPromise | null
  /** Null where quota or promise decide alone. */
  prices: Prices | null
}

/** What is as little as possible: `cost` where there are prices. */
type Goal = 'cost' | 'delay' | 'polls'

/**
 * A quota is used to wait as little as it allows; a promise is kept with as few polls as it takes.
 */
export function goalOf({ quota, prices }: Wish): Goal {
  if (prices !== null) return 'cost'
  return quota === null ? 'polls' : 'delay'
}

/** By how much it falls short of the best that could be: 0 or more, in the goal's own unit. */
export function shortfallOf(figures: TraceFigures, wish: Wish): number {
  const goal = goalOf(wish)
  switch (goal) {
    case 'cost':
      return costOf(figures, wish.prices!)
    case 'delay':
      return figures.delayMean
    case 'polls':
      return figures.pollsMean
    default:
      return unreachable(goal)
  }
}

/** Ends that may pass unseen before the deadline: as many as a run may leave unserved. */
const MOST_MISSED = 0.05

/** Whether polls see the ends, all but a few that come shortly before the deadline. */
export function seesEnds({ delayMean, missedShare }: TraceFigures): boolean {
  return missedShare <= MOST_MISSED && Number.isFinite(delayMean)
}

/** The cost of an execution, in the currency of the prices. */
export function costOf(
  { pollsMean, delayMean }: TraceFigures,
  { poll, delaySecond }: Prices,
): number {
  return poll * pollsMean + (delaySecond * delayMean) / MICROS_PER_SECOND
}

export function delayOf(figures: TraceFigures, statistic: DelayPromise['statistic']): Micros {
  switch (statistic) {
    case 'mean':
      return figures.delayMean
    case 'p50':
      return figures.delayP50
    case 'p95':
      return figures.delayP95
    default:
      return unreachable(statistic)
  }
}

/**
 * The shortest interval that the wish may ask for: an eighth of a promised delay, for requests take
 * their part of it, what fills the quota, or half of the best constant one at the prices, sqrt(2 c
 * E[D] / w).
 */
export function finestOf(
  { promise, quota, prices }: Wish,
  arrivalsPerSecond: number | null,
  meanMicros: Micros,
): Micros {
  const intervals: Micros[] = []
  if (promise !== null) intervals.push(promise.boundMicros / 8)
  if (quota !== null && arrivalsPerSecond !== null) {
    const arrivals = (arrivalsPerSecond * quota.perMicros) / MICROS_PER_SECOND
    intervals.push((meanMicros * arrivals) / quota.count)
  }
  if (prices !== null) {
    const pollSeconds = prices.poll / prices.delaySecond
    intervals.push(Math.sqrt(2 * pollSeconds * MICROS_PER_SECOND * meanMicros) / 2)
  }
  return Math.min(...intervals)
}
