/** A fault in wall time: a time-lapse divides its times once, when it is added. */
import { scale } from '../../../src/base/distribution.ts'
import type { Fault, FaultTime } from './fault.ts'
import { definitionOf } from './kinds/list.ts'

/** What is in the crew's own time is divided by the speed; the rest is as it was written. */
export function wallFault(fault: Fault, speed: number): Fault {
  if (speed === 1) return fault
  const { what, time } = fault
  return {
    ...fault,
    what: definitionOf(what).atSpeed?.(what, speed) ?? what,
    time: time === null ? null : timeAt(time, speed),
  }
}

function timeAt(time: FaultTime, speed: number): FaultTime {
  if (time.kind === 'episodes') {
    return { ...time, off: scale(time.off, 1 / speed), on: scale(time.on, 1 / speed) }
  }
  const { fromMicros, forMicros, everyMicros } = time
  return {
    ...time,
    fromMicros: fromMicros / speed,
    forMicros: forMicros === null ? null : forMicros / speed,
    everyMicros: everyMicros === null ? null : everyMicros / speed,
  }
}
