/** The crew's sleep: after a time without work, the next request waits for the crew to wake. */
import type { Micros } from '../../../src/base/units.ts'

export class ColdStart {
  readonly #idleMicros: Micros
  #awakeAt: Micros = -Infinity
  #lastEnd: Micros = -Infinity

  /**
   * `idleMicros` is wall time; with Infinity the crew never sleeps. A new crew sleeps unless it
   * never does.
   */
  constructor(idleMicros: Micros) {
    this.#idleMicros = idleMicros
  }

  /** When the crew is ready for work that arrives now; a sleeping crew wakes in `wakeMicros()`. */
  readyAt(nowMicros: Micros, wakeMicros: () => Micros): Micros {
    const asleep = this.#idleMicros !== Infinity && nowMicros >= this.#lastEnd + this.#idleMicros
    if (asleep && nowMicros >= this.#awakeAt) {
      this.#awakeAt = nowMicros + wakeMicros()
      this.busyUntil(this.#awakeAt)
    }
    return Math.max(nowMicros, this.#awakeAt)
  }

  /** The crew has work until then; Infinity keeps it awake permanently. */
  busyUntil(endMicros: Micros): void {
    this.#lastEnd = Math.max(this.#lastEnd, endMicros)
  }
}
