/** The schedule of a recorded run, replayed. */
import type { Micros } from '../../base/units.ts'
import type { Schedule } from './schedule.ts'

/** `offsetsMicros` are in rising order and count from the run's zero. */
export function replaySchedule(offsetsMicros: readonly Micros[]): Schedule {
  let index = 0
  return {
    total: offsetsMicros.length,
    next() {
      const intendedMicros = offsetsMicros[index]
      return intendedMicros === undefined ? null : { index: index++, intendedMicros }
    },
  }
}
