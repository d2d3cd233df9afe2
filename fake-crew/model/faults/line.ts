/** How the crew stands to new connections, as faults have it. */
import type { Micros } from '../../../src/units.ts'
import type { ActiveFault } from './active.ts'
import { spanAt } from './spans.ts'

export interface Line {
  /** New connections are refused; open ones go on. */
  refusing: boolean
  /** The line stays as it is until then, unless faults are added or cleared; Infinity for good. */
  untilMicros: Micros
}

const OPEN: Line = { refusing: false, untilMicros: Infinity }

/** As of `nowMicros`; times asked for must not fall. */
export function lineAt(faults: readonly ActiveFault[], nowMicros: Micros): Line {
  if (faults.length === 0) return OPEN
  let refusing = false
  let untilMicros = Infinity
  for (const { spans } of faults) {
    const span = spanAt(spans, nowMicros)
    refusing ||= span !== null
    const nextMicros = spans.next(nowMicros)?.fromMicros ?? Infinity
    untilMicros = Math.min(untilMicros, span?.untilMicros ?? Infinity, nextMicros)
  }
  return { refusing, untilMicros }
}
