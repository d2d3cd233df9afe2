/**
 * The best of many strategies looks better than it is on the executions that it was chosen by. By
 * how much, other samples tell: what is best in each is held against the sample at hand (Efron,
 * "Estimating the error rate of a prediction rule", 1983).
 */
import type { Figures } from '../replay/trace.ts'
import type { Estimated } from './estimate.ts'
import { judgedOf } from './estimate.ts'
import type { Wish } from './wish.ts'
import { shortfallOf } from './wish.ts'

/** Factors that correct the predicted polls and delays of a chosen strategy. */
interface Optimism {
  polls: number
  delay: number
}

/**
 * `estimates`, with the optimism of choosing the best of them taken off. `eligible`: those of them
 * among which it is chosen.
 */
export function withoutOptimism(
  estimates: readonly Estimated[],
  eligible: readonly Estimated[],
  wish: Wish,
): Estimated[] {
  const optimism = optimismOf(eligible, wish)
  return estimates.map((each) => ({ ...each, ...corrected(each, optimism) }))
}

function optimismOf(eligible: readonly Estimated[], wish: Wish): Optimism {
  const here = { polls: 0, delay: 0 }
  const there = { polls: 0, delay: 0 }
  const resamples = eligible[0]?.resampled.length ?? 0
  for (let resample = 0; resample < resamples; resample++) {
    const best = bestIn(resample, eligible, wish)
    const judged = judgedOf(best)
    const other = best.resampled[resample]!
    here.polls += judged.pollsMean
    here.delay += judged.delayMean
    there.polls += other.pollsMean
    there.delay += other.delayMean
  }
  const polls = here.polls / there.polls
  const delay = here.delay / there.delay
  // Without delays, or without ends in a resample, nothing can be told.
  const isKnown = Number.isFinite(polls) && Number.isFinite(delay)
  return isKnown ? { polls, delay: Math.max(1, delay) } : { polls: 1, delay: 1 }
}

function bestIn(resample: number, eligible: readonly Estimated[], wish: Wish): Estimated {
  let [best] = eligible as [Estimated]
  let least = Infinity
  for (const each of eligible) {
    const shortfall = shortfallOf(each.resampled[resample]!, wish)
    if (shortfall < least) [best, least] = [each, shortfall]
  }
  return best
}

/**
 * The mean of the delay is corrected; its quantiles, which the intervals bound, are not. A band
 * grows on the side on which the truth may lie.
 */
function corrected(
  { value, low, high }: Estimated,
  { polls, delay }: Optimism,
): Record<'value' | 'low' | 'high', Figures> {
  return {
    value: { ...value, delayMean: value.delayMean * delay },
    low: { ...low, pollsMean: low.pollsMean * Math.min(1, polls) },
    high: {
      ...high,
      pollsMean: high.pollsMean * Math.max(1, polls),
      delayMean: high.delayMean * delay,
      delayP50: high.delayP50 * delay,
      delayP95: high.delayP95 * delay,
    },
  }
}
