/** Computes where calendar windows begin. */
import type { Micros } from '../../../src/base/units.ts'
import { MICROS_PER_MS } from '../../../src/base/units.ts'
import type { LimiterClock } from './definition.ts'

const DAY_MICROS = 86_400_000_000

/**
 * Windows of wall time restart at each midnight UTC if a day holds more than one; longer ones
 * continue across days.
 */
export function calendarOf(
  windowMicros: Micros,
  clock: LimiterClock,
): { phaseMicros: Micros; dayMicros?: Micros } {
  const dayMicros = DAY_MICROS * clock.speed
  if (windowMicros >= dayMicros) return { phaseMicros: phaseOf(windowMicros, clock) }
  return { phaseMicros: phaseOf(dayMicros, clock), dayMicros }
}

/**
 * How far into a window the model's time zero is, in the crew's time: windows of wall time follow
 * each other from the Unix epoch.
 */
export function phaseOf(windowMicros: Micros, { speed, anchorUnixMs }: LimiterClock): Micros {
  return Math.floor(((anchorUnixMs * MICROS_PER_MS) % (windowMicros / speed)) * speed)
}
