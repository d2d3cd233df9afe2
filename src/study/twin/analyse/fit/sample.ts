/**
 * The observations of one quantity: each value lies between two bounds. The upper one is Infinity
 * where the observation ended first.
 */
import { middleOf } from '../../../../result/inferred-workers/observed-stay.ts'
import { sumBy } from '../../../../result/statistics/moments.ts'
import type { WeightedValue } from '../../../../result/statistics/quantiles.ts'
import type { Between } from '../../../../result/inferred-workers/observed-stay.ts'

/** An interval that is narrower than this share of its value counts as a value. */
const NARROW = 0.02

export function isNarrow({ low, high }: Between): boolean {
  return high < Infinity && high - low <= NARROW * high
}

export function isCensored({ high }: Between): boolean {
  return high === Infinity
}

/** The number of points among which the weight of an interval is divided evenly. */
const SPREAD = 8

/**
 * Replaces a sample by points with weights, in rising order of value, whose weights sum to 1.
 * Intervals are spread evenly, and the weight of an execution whose end was not observed goes to
 * those that took longer (Efron, "The two sample problem with censored data", 1967).
 */
export function weightedPoints(sample: readonly Between[]): WeightedValue[] {
  const parts = sample.flatMap((each) =>
    isCensored(each) || isNarrow(each)
      ? [{ value: middleOf(each), censored: isCensored(each), share: 1 }]
      : Array.from({ length: SPREAD }, (_, i) => ({
          value: each.low + ((i + 0.5) / SPREAD) * (each.high - each.low),
          censored: false,
          share: 1 / SPREAD,
        })),
  )
  const sorted = parts.toSorted((a, b) => a.value - b.value)
  let left = sample.length
  let survival = 1
  const points = sorted.flatMap(({ value, censored, share }, i) => {
    const isLast = i === sorted.length - 1
    const weight = censored && !isLast ? 0 : survival * Math.min(1, share / left)
    survival -= weight
    left -= share
    return weight > 0 ? [{ value, weight }] : []
  })
  const sum = sumBy(points, ({ weight }) => weight)
  return points.map(({ value, weight }) => ({ value, weight: weight / sum }))
}
