/** The polls that all executions together bring to the target, held against a quota. */
import type { Rate } from '../../../../base/units.ts'
import { MICROS_PER_SECOND } from '../../../../base/units.ts'
import type { Trace } from '../replay/trace.ts'
import type { Subject } from '../replay/lives.ts'

/** Standard deviations kept free above the mean: 1 in 40 windows is fuller. */
const RESERVE = 2

/** Polls of an execution in the mean, and E[N min(N, k)]. */
interface Traffic {
  pollsMean: number
  crowding: number
}

/**
 * The polls that a quota must carry in its window.
 *
 * In a window of the quota's length T the polls of arrivals at random add up to a mean of lambda T
 * E[N] with a variance of at most lambda T E[N min(N, k)], where k is the most polls of one
 * execution that fall in the window: a compound Poisson process. The mean and two standard
 * deviations must fit.
 */
function neededOf(
  { perMicros }: Pick<Rate, 'perMicros'>,
  arrivalsPerSecond: number,
  { pollsMean, crowding }: Traffic,
): number {
  const arrivals = (arrivalsPerSecond * perMicros) / MICROS_PER_SECOND
  return arrivals * pollsMean + RESERVE * Math.sqrt(arrivals * crowding)
}

export function fitsQuota(quota: Rate, arrivalsPerSecond: number, traffic: Traffic): boolean {
  return neededOf(quota, arrivalsPerSecond, traffic) <= quota.count
}

/** E[N min(N, k)] of a strategy, for a window of this length. */
export function crowdingOf(
  trace: Trace,
  subjects: readonly Subject[],
  windowMicros: number,
): number {
  let [sum, total] = [0, 0]
  subjects.forEach(({ weight, lives }, i) => {
    const polls = trace.polls[i]!
    const { endMicros, deadlineMicros } = lives[0]!
    const most = 1 + (polls * windowMicros) / Math.max(1, Math.min(endMicros, deadlineMicros))
    sum += weight * polls * Math.min(polls, most)
    total += weight
  })
  return sum / total
}
