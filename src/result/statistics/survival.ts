/**
 * Kaplan and Meier's product-limit estimate ("Nonparametric estimation from incomplete
 * observations", 1958).
 */
import type { Bucket, Lifetimes } from './sample.ts'
import { sizeOf } from './sample.ts'

export interface SurvivalStep {
  value: number
  /** Estimated share, 0 to 1, that has ended by `value`. */
  ended: number
  /** Size of the uncensored sample that would be as certain of `ended`, by Greenwood's variance. */
  effective: number
}

/**
 * One step for each value at which something ended, increasing. At equal values, ended ones come
 * before censored ones. Events that never come are observed beyond the last step.
 */
export function survivalCurve(lifetimes: Lifetimes): readonly SurvivalStep[] {
  const { ended, censored } = lifetimes
  const watched = sizeOf(lifetimes)
  const [ends, leavers] = [ended.buckets(), censored.buckets()]
  const known = latest.get(ends)
  if (known?.leavers === leavers && known.watched === watched) return known.curve
  const curve = productLimit(ends, leavers, watched)
  latest.set(ends, { leavers, watched, curve })
  return curve
}

/**
 * The curve of the same lifetimes is asked for once for each quantile of a figure. A sample that
 * has recorded more has other buckets.
 */
const latest = new WeakMap<
  readonly Bucket[],
  { leavers: readonly Bucket[]; watched: number; curve: readonly SurvivalStep[] }
>()

function productLimit(
  ends: readonly Bucket[],
  leavers: readonly Bucket[],
  all: number,
): SurvivalStep[] {
  const curve: SurvivalStep[] = []
  let watched = all
  let next = 0
  let survival = 1
  let greenwood = 0
  for (const { value, count } of ends) {
    for (; next < leavers.length && leavers[next]!.value < value; next++) {
      watched -= leavers[next]!.count
    }
    survival *= (watched - count) / watched
    greenwood += count / (watched * (watched - count))
    curve.push({
      value,
      ended: 1 - survival,
      effective:
        survival > 0
          ? (1 - survival) / (survival * greenwood)
          : (curve.at(-1)?.effective ?? watched),
    })
    watched -= count
  }
  return curve
}
