/** A sample in a few numbers. */
import { MICROS_PER_MS } from '../../../../base/units.ts'
import type { Quantiles } from '../../document.ts'
import { meanOf } from '../model/system.ts'

/** Null of nothing. */
export function quantilesOf(micros: ArrayLike<number>): Quantiles | null {
  const sorted = Float64Array.from(micros).sort()
  if (sorted.length === 0) return null
  const at = (q: number): number => sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)]!
  return {
    n: sorted.length,
    mean: meanOf(sorted) / MICROS_PER_MS,
    p50: at(0.5) / MICROS_PER_MS,
    p95: at(0.95) / MICROS_PER_MS,
  }
}
