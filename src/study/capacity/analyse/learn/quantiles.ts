/** Summarises samples in a few numbers. */
import { deviationOf, meanOf } from '../../../../result/statistics/moments.ts'
import { quantileOf } from '../../../../result/statistics/quantiles.ts'
import { MICROS_PER_MS } from '../../../../base/units.ts'
import type { CapacityDocument, Quantiles } from '../../document.ts'

/** Null for an empty sample. */
export function quantilesOf(micros: ArrayLike<number>): Quantiles | null {
  const sorted = Float64Array.from(micros).sort()
  if (sorted.length === 0) return null
  return {
    n: sorted.length,
    mean: meanOf(sorted) / MICROS_PER_MS,
    p50: quantileOf(sorted, 0.5)! / MICROS_PER_MS,
    p95: quantileOf(sorted, 0.95)! / MICROS_PER_MS,
  }
}

/** The standard error of the mean. */
function errorOf(values: ArrayLike<number>): number {
  return deviationOf(values) / Math.sqrt(values.length)
}

/** The standard error of the difference of two means. */
export function differenceError(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Math.hypot(errorOf(a), errorOf(b))
}

const SHARES = Array.from({ length: 19 }, (_, i) => (i + 1) / 20)

/** The values that 5 %, 10 %, ... 95 % of a sample do not exceed; all 0 for an empty sample. */
export function atShares(values: ArrayLike<number>): number[] {
  const sorted = Float64Array.from(values).sort()
  return SHARES.map((share) => quantileOf(sorted, share) ?? 0)
}

/**
 * The times that 5 %, 10 %, ... 95 % of each of the two samples do not exceed, in microseconds.
 * Empty if one of the samples is.
 */
export function byShare(
  full: ArrayLike<number>,
  idle: ArrayLike<number>,
): NonNullable<CapacityDocument['model']>['serviceByShare'] {
  if (full.length === 0 || idle.length === 0) return []
  const [busy, rest] = [atShares(full), atShares(idle)]
  return SHARES.map((share, i) => {
    return { share, full: busy[i]! / MICROS_PER_MS, idle: rest[i]! / MICROS_PER_MS }
  })
}
