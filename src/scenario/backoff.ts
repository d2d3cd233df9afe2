/** Growing intervals with jitter, used by polling and retries. */
import { unreachable } from '../base/assert.ts'
import type { Random } from '../base/random.ts'
import type { Micros } from '../base/units.ts'

/** The ways to randomise an interval; see `backoffMicros`. */
export const JITTERS = ['none', 'full', 'equal', 'decorrelated'] as const

export type Jitter = (typeof JITTERS)[number]

export interface Backoff {
  initialMicros: Micros
  factor: number
  maxMicros: Micros
  jitter: Jitter
}

/**
 * Full jitter is never shorter than this, or than `initial` if that is less: an interval of zero
 * would overload the target.
 */
export const JITTER_FLOOR_MICROS = 1_000

/** The growth of decorrelated jitter relative to the previous interval. */
const DECORRELATED_GROWTH = 3

/**
 * Interval `n` (from 0) in integer microseconds, with base = min(max, initial * factor^n): `none`
 * is the base; `full` is uniform in (0, base]; `equal` is uniform in (base / 2, base];
 * `decorrelated` is min(max, uniform in (initial, 3 * the previous interval)), which grows by
 * itself and does not use the factor (Marc Brooker, "Exponential Backoff And Jitter", AWS
 * Architecture Blog, 2015). `previousMicros` is the previous interval; anything below `initial`
 * counts as `initial`.
 */
export function backoffMicros(
  backoff: Backoff,
  n: number,
  previousMicros: Micros,
  random: Random,
): Micros {
  const { initialMicros, factor, maxMicros, jitter } = backoff
  const baseMicros = Math.min(
    maxMicros,
    initialMicros * Math.min(powerOf(factor, n), Number.MAX_VALUE),
  )
  switch (jitter) {
    case 'none':
      return Math.round(baseMicros)
    case 'full': {
      const least = Math.min(JITTER_FLOOR_MICROS, Math.round(Math.min(initialMicros, maxMicros)))
      return Math.max(least, Math.ceil(baseMicros * random.next()))
    }
    case 'equal':
      return Math.ceil((baseMicros / 2) * (1 + random.next()))
    case 'decorrelated': {
      const ceiling = DECORRELATED_GROWTH * Math.max(previousMicros, initialMicros)
      const drawn = initialMicros + (ceiling - initialMicros) * random.next()
      return Math.round(Math.min(maxMicros, drawn))
    }
    default:
      return unreachable(jitter)
  }
}

/** Of the factor that was asked for last: many intervals in a row grow by the same one. */
const powers: { of: number; byExponent: number[] } = { of: Number.NaN, byExponent: [] }

function powerOf(factor: number, n: number): number {
  if (powers.of !== factor) Object.assign(powers, { of: factor, byExponent: [] })
  return (powers.byExponent[n] ??= factor ** n)
}
