/** Faults of connections: the restarts that are due, and how new connections are treated. */
import type { Micros } from '../../../src/base/units.ts'
import type { ActiveFault } from './active.ts'
import type { RestartLoses } from '../work/executions.ts'
import { definitionOf } from './kinds/list.ts'
import { spanAt } from './spans.ts'

export type Restarter = (atMicros: Micros, loses: RestartLoses) => void

/**
 * Each restart between the start and now happens exactly once, in order of time, however rarely
 * this is called.
 */
export class Restarts {
  /** When the last restart happened; -Infinity before the first. */
  lastMicros: Micros = -Infinity
  readonly #restart: Restarter
  #faults: { active: ActiveFault; loses: RestartLoses; seenMicros: Micros }[] = []

  constructor(restart: Restarter) {
    this.#restart = restart
  }

  /** The restart may already be due at `nowMicros`. */
  add(active: ActiveFault, nowMicros: Micros): void {
    const { what } = active.fault
    const loses = definitionOf(what).restarts?.(what)
    if (loses !== undefined) this.#faults.push({ active, loses, seenMicros: nowMicros - 1 })
  }

  keep(stays: (active: ActiveFault) => boolean): void {
    this.#faults = this.#faults.filter(({ active }) => stays(active))
  }

  /**
   * Performs the restarts that are due. Times must not decrease, and callers must call this before
   * they read the faults' spans.
   */
  settle(nowMicros: Micros): void {
    if (this.#faults.length === 0) return
    for (;;) {
      const dues = this.#faults.map((entry) => ({ entry, atMicros: dueOf(entry) }))
      const [first] = dues.toSorted((a, b) => a.atMicros - b.atMicros)
      if (first === undefined || first.atMicros > nowMicros) return
      const { entry, atMicros } = first
      entry.seenMicros = atMicros
      entry.active.touched++
      this.lastMicros = atMicros
      this.#restart(atMicros, entry.loses)
    }
  }

  /** The time of the next restart, as known at the last `settle`; Infinity for none. */
  get nextMicros(): Micros {
    return Math.min(Infinity, ...this.#faults.map(dueOf))
  }
}

function dueOf({ active, seenMicros }: { active: ActiveFault; seenMicros: Micros }): Micros {
  return active.spans.next(seenMicros)?.fromMicros ?? Infinity
}

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
