/** The polls that all executions together bring to the target, held against a quota. */
import type { Rate } from '../../../../base/units.ts'
import { MICROS_PER_SECOND } from '../../../../base/units.ts'
import type { Trace } from '../replay/trace.ts'
import type { Subject } from '../replay/lives.ts'

/** Standard deviations kept free above the mean: 1 in 40 windows is fuller. */
const RESERVE = 2

/**
 * The most polls of an execution, in the mean, that a quota carries; null where the rate of
 * arrivals is not known.
 *
 * In a window of the quota's length T the polls of arrivals at random add up to a mean of lambda T
 * E[N] with a variance of at most lambda T E[N min(N, k)], where k is the most polls of one
 * execution that fall in the window: a compound Poisson process. The mean and two standard
 * deviations must fit.
 */
export function fitsQuota(
  quota: Rate,
  arrivalsPerSecond: number,
  { pollsMean, crowding }: { pollsMean: number; crowding: number },
): boolean {
  const arrivals = (arrivalsPerSecond * quota.perMicros) / MICROS_PER_SECOND
  const mean = arrivals * pollsMean
  return mean + RESERVE * Math.sqrt(arrivals * crowding) <= quota.count
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
