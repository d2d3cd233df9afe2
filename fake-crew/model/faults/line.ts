/** How the crew stands to new connections, as faults have it. */
import type { Micros } from '../../../src/base/units.ts'
import type { ActiveFault } from './active.ts'
import type { Restarts } from './restarts.ts'
import { spanAt } from './spans.ts'

export interface Line {
  /** New connections are refused; open ones go on. */
  refusing: boolean
  /** Connections opened before are gone: -Infinity for none. */
  cutMicros: Micros
  /** When all connections will be cut next; Infinity for never. */
  nextCutMicros: Micros
  /** The line stays as it is until then, unless faults are added or cleared; Infinity for good. */
  untilMicros: Micros
}

const OPEN: Line = {
  refusing: false,
  cutMicros: -Infinity,
  nextCutMicros: Infinity,
  untilMicros: Infinity,
}

/** As of `nowMicros`, which restarts are settled for; times asked for must not fall. */
export function lineAt(
  faults: readonly ActiveFault[],
  restarts: Restarts,
  nowMicros: Micros,
): Line {
  if (faults.length === 0 && restarts.lastMicros === -Infinity) return OPEN
  const { lastMicros: cutMicros, nextMicros: nextCutMicros } = restarts
  let refusing = false
  let untilMicros = Infinity
  for (const { spans } of faults) {
    const span = spanAt(spans, nowMicros)
    refusing ||= span !== null
    const nextMicros = spans.next(nowMicros)?.fromMicros ?? Infinity
    untilMicros = Math.min(untilMicros, span?.untilMicros ?? Infinity, nextMicros)
  }
  return { refusing, cutMicros, nextCutMicros, untilMicros }
}
