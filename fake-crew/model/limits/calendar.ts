/** Computes where calendar windows begin. */
import type { Micros } from '../../../src/base/units.ts'
import { MICROS_PER_MS } from '../../../src/base/units.ts'
import type { LimiterClock } from './definition.ts'

const DAY_MICROS = 86_400_000_000

/**
 * Windows restart at each midnight UTC if a day holds more than one; longer ones
 * continue across days.
 */
export function calendarOf(
  windowMicros: Micros,
  clock: LimiterClock,
): { phaseMicros: Micros; dayMicros?: Micros } {
  if (windowMicros >= DAY_MICROS) return { phaseMicros: phaseOf(windowMicros, clock) }
  return { phaseMicros: phaseOf(DAY_MICROS, clock), dayMicros: DAY_MICROS }
}

/**
 * How far into a window the model's time zero is: windows follow each other from the Unix epoch.
 */
export function phaseOf(windowMicros: Micros, { anchorUnixMs }: LimiterClock): Micros {
  return Math.floor((anchorUnixMs * MICROS_PER_MS) % windowMicros)
}
