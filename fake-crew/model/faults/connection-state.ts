/** Computes how the faults make the crew treat new connections. */
import type { Micros } from '../../../src/base/units.ts'
import type { ActiveFault } from './active.ts'
import type { Restarts } from './restarts.ts'
import { spanAt } from './spans.ts'

export interface ConnectionState {
  /** New connections are refused; open ones stay usable. */
  refusing: boolean
  /** Connections opened before this time are cut: -Infinity for none. */
  cutMicros: Micros
  /** When all connections will next be cut; Infinity for never. */
  nextCutMicros: Micros
  /**
   * This state holds until then, unless faults are added or cleared; Infinity if it holds
   * indefinitely.
   */
  untilMicros: Micros
}

const OPEN: ConnectionState = {
  refusing: false,
  cutMicros: -Infinity,
  nextCutMicros: Infinity,
  untilMicros: Infinity,
}

/**
 * The state as of `nowMicros`, with due restarts performed first; times must not decrease between
 * calls.
 */
export function connectionStateAt(
  faults: readonly ActiveFault[],
  restarts: Restarts,
  nowMicros: Micros,
): ConnectionState {
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
