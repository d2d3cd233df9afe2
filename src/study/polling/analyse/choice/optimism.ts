/**
 * What is best on the executions that it was chosen by looks better than it is. How much so, other
 * samples tell: the best of each is held against the sample at hand (Efron, "Estimating the error
 * rate of a prediction rule", 1983).
 */
import type { Figures, Trace } from '../replay/trace.ts'
import type { Resamples } from './resamples.ts'
import type { Wish } from './wish.ts'
import { shortfallOf } from './wish.ts'

/** Factors that correct the predicted polls and delays of a chosen strategy. */
export interface Optimism {
  polls: number
  delay: number
}

export const NO_OPTIMISM: Optimism = { polls: 1, delay: 1 }

/** Resamples that are looked at, and strategies that may be chosen in them. */
const LOOKED_AT = 200
const CHOSEN_FROM = 150

/** `traces`: of the likeliest strategies, the best first, over all subjects of the resamples. */
export function optimismOf(traces: readonly Trace[], resamples: Resamples, wish: Wish): Optimism {
  const sums = traces.slice(0, CHOSEN_FROM).map(sumsOf)
  const own = sums.map((each) => meansOf(each, resamples.whole))
  let [polls, delay, count] = [0, 0, 0]
  for (const weights of resamples.each.slice(0, LOOKED_AT)) {
    const seen = sums.map((each) => meansOf(each, weights))
    const best = leastOf(seen, wish)
    const [there, here] = [seen[best], own[best]]
    if (there === undefined || here === undefined || !(there.delayMean > 0)) continue
    polls += here.pollsMean / there.pollsMean
    delay += here.delayMean / there.delayMean
    count++
  }
  if (count === 0 || !Number.isFinite(delay) || !Number.isFinite(polls)) return NO_OPTIMISM
  return { polls: polls / count, delay: Math.max(1, delay / count) }
}

interface Sums {
  polls: Float64Array
  /** The delays of a subject, and its lives that end, as a share of all its lives. */
  delays: Float64Array
  ended: Float64Array
}

function sumsOf({ polls, delays, owners, lives }: Trace): Sums {
  const sums = {
    polls,
    delays: new Float64Array(polls.length),
    ended: new Float64Array(polls.length),
  }
  owners.forEach((subject, i) => {
    sums.delays[subject]! += delays[i]! / lives[subject]!
    sums.ended[subject]! += 1 / lives[subject]!
  })
  return sums
}

function meansOf({ polls, delays, ended }: Sums, weights: Float64Array): Figures {
  let [weight, pollsSum, delaySum, endedSum] = [0, 0, 0, 0]
  for (let i = 0; i < polls.length; i++) {
    const own = weights[i]!
    if (own === 0) continue
    weight += own
    pollsSum += own * polls[i]!
    delaySum += own * delays[i]!
    endedSum += own * ended[i]!
  }
  const delayMean = delaySum / endedSum
  return {
    pollsMean: pollsSum / weight,
    delayMean,
    delayP50: delayMean,
    delayP95: delayMean,
    missedShare: 0,
  }
}

function leastOf(all: readonly Figures[], wish: Wish): number {
  let least = 0
  let best = Infinity
  all.forEach((figures, i) => {
    const shortfall = shortfallOf(figures, wish)
    if (shortfall < best) [least, best] = [i, shortfall]
  })
  return least
}

/**
 * The mean of the delay is corrected; its quantiles, which the intervals bound, are not. A band
 * grows on the side on which the truth may lie.
 */
export function withoutOptimism(
  { value, low, high }: Record<'value' | 'low' | 'high', Figures>,
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
