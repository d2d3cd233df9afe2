/** What the user knows, and how well a strategy does by it. */
import type { Micros } from '../../../../base/units.ts'
import { MICROS_PER_SECOND } from '../../../../base/units.ts'
import type { PollingGoal } from '../../document.ts'
import type { TraceFigures } from '../replay/trace.ts'

/**
 * What is as little as possible. A quota is used to wait as little as it allows; a promise is kept
 * with as few polls as it takes.
 */
export function minimised({ quota, prices }: PollingGoal): 'cost' | 'delay' | 'polls' {
  if (prices !== null) return 'cost'
  return quota === null ? 'polls' : 'delay'
}

/** What must hold, as it is written. */
export function goalTexts({ quota, promise }: PollingGoal): string[] {
  return [quota ?? [], promise ?? []].flat().map(({ text }) => text)
}

/** By how much it falls short of the best that could be: 0 or more, in the goal's own unit. */
export function shortfallOf(figures: TraceFigures, goal: PollingGoal): number {
  if (goal.prices !== null) return pollingCostOf(figures, goal.prices)
  return minimised(goal) === 'delay' ? figures.delayMean : figures.pollsMean
}

/** Ends that may pass unseen before the deadline: as many as a run may leave unserved. */
const MOST_MISSED = 0.05

/** Whether polls see the ends, all but a few that come shortly before the deadline. */
export function seesEnds({ delayMean, missedShare }: TraceFigures): boolean {
  return missedShare <= MOST_MISSED && Number.isFinite(delayMean)
}

/** The cost of an execution, in the currency of the prices. */
export function pollingCostOf(
  { pollsMean, delayMean }: TraceFigures,
  { poll, delaySecond }: NonNullable<PollingGoal['prices']>,
): number {
  return poll * pollsMean + (delaySecond * delayMean) / MICROS_PER_SECOND
}

const DELAYS = { mean: 'delayMean', p50: 'delayP50', p95: 'delayP95' } as const

/** Whether the delay lies below what is promised. */
export function keepsPromise(
  figures: TraceFigures,
  { promise }: Pick<PollingGoal, 'promise'>,
): boolean {
  return promise === null || figures[DELAYS[promise.statistic]] < promise.boundMicros
}

/**
 * The shortest interval that the goal may ask for: an eighth of a promised delay, for requests take
 * their part of it, what fills the quota, or half of the best constant one at the prices, sqrt(2 c
 * E[D] / w).
 */
export function finestOf(
  { promise, quota, prices }: PollingGoal,
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
