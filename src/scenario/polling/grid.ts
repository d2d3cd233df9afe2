/** Values of a parameter for the study of polling to try, as people would write them. */
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_MS } from '../../base/units.ts'

/** No interval is tried below this. */
export const LEAST_INTERVAL_MICROS = 10 * MICROS_PER_MS

/** Intervals from `from` to `to`, each `ratio` times the one before, rounded to three digits. */
export function geometric(from: Micros, to: Micros, ratio: number): Micros[] {
  const values = new Set<Micros>()
  for (let value = Math.max(LEAST_INTERVAL_MICROS, from); value <= to * ratio; value *= ratio) {
    values.add(neat(value))
  }
  return [...values]
}

/** Three digits, and whole milliseconds; one at least. */
export function neat(micros: Micros): Micros {
  const rounded = Number(micros.toPrecision(3))
  return Math.max(MICROS_PER_MS, Math.round(rounded / MICROS_PER_MS) * MICROS_PER_MS)
}

/** The next whole millisecond: what must not come too early. */
export function notBefore(micros: Micros): Micros {
  return Math.max(MICROS_PER_MS, Math.ceil(micros / MICROS_PER_MS) * MICROS_PER_MS)
}
