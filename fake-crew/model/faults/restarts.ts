/** Restarts of the crew: which are due, and which connections they cut. */
import type { Micros } from '../../../src/base/units.ts'
import type { ActiveFault } from './active.ts'
import type { RestartLoses } from './definition.ts'
import { definitionOf } from './kinds.ts'

export type Restarter = (atMicros: Micros, loses: RestartLoses) => void

/**
 * Between its beginning and now, each restart happens once, in order of time, however seldom
 * somebody looks.
 */
export class Restarts {
  /** When the last one was; -Infinity before. */
  lastMicros: Micros = -Infinity
  readonly #restart: Restarter
  #faults: { active: ActiveFault; loses: RestartLoses; seenMicros: Micros }[] = []

  constructor(restart: Restarter) {
    this.#restart = restart
  }

  /** It may be due at `nowMicros` already. */
  add(active: ActiveFault, nowMicros: Micros): void {
    const { what } = active.fault
    const loses = definitionOf(what).restarts?.(what)
    if (loses !== undefined) this.#faults.push({ active, loses, seenMicros: nowMicros - 1 })
  }

  keep(stays: (active: ActiveFault) => boolean): void {
    this.#faults = this.#faults.filter(({ active }) => stays(active))
  }

  /**
   * Lets happen what is due. Times must not fall, and whoever asks about these faults' spans has to
   * settle before.
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

  /** Of the next one; Infinity for none. As of the time that was settled last. */
  get nextMicros(): Micros {
    return Math.min(Infinity, ...this.#faults.map(dueOf))
  }
}

function dueOf({ active, seenMicros }: { active: ActiveFault; seenMicros: Micros }): Micros {
  return active.spans.next(seenMicros)?.fromMicros ?? Infinity
}
