/** When each fault was on, for later inspection; cleared faults are included. */
import type { FaultSpells } from '../../../src/crew/ledger.ts'
import { MICROS_PER_MS } from '../../../src/base/units.ts'
import type { Micros } from '../../../src/base/units.ts'
import type { ActiveFault } from './active.ts'
import { isAlwaysOn } from './active.ts'
import type { Span } from './spans.ts'

/** The number of cleared faults kept: a test may add and clear faults without end. */
const CLEARED_KEPT = 1_000

export class OnTimes {
  #active: ActiveFault[] = []
  #cleared: FaultSpells[] = []

  added(active: ActiveFault): void {
    this.#active.push(active)
  }

  /** A fault that does not stay on ends at `nowMicros`. */
  keep(stays: (active: ActiveFault) => boolean, nowMicros: Micros): void {
    const gone = this.#active.filter((active) => !stays(active))
    this.#active = this.#active.filter(stays)
    const told = gone.map((active) => spellsOf(active, nowMicros, nowMicros))
    this.#cleared = [...this.#cleared, ...told].slice(-CLEARED_KEPT)
  }

  /** Cleared faults first, each group in the order in which they were added. */
  all(nowMicros: Micros): FaultSpells[] {
    return [
      ...this.#cleared,
      ...this.#active.map((active) => spellsOf(active, nowMicros, Infinity)),
    ]
  }
}

function spellsOf(
  { fault, spans }: ActiveFault,
  nowMicros: Micros,
  endMicros: Micros,
): FaultSpells {
  return {
    fault: fault.name,
    kind: fault.what.kind,
    always: isAlwaysOn(fault),
    spells: spans.past(nowMicros).map(({ fromMicros, untilMicros }: Span) => {
      const toMicros = Math.min(untilMicros, endMicros)
      const over = toMicros <= nowMicros
      return {
        from_ms: fromMicros / MICROS_PER_MS,
        to_ms: over ? toMicros / MICROS_PER_MS : null,
      }
    }),
  }
}
