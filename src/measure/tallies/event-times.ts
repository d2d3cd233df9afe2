/**
 * Counts the events in a span of time that is known only at the end, by cells of time in bounded
 * memory.
 */
import type { Micros } from '../../base/units.ts'

const MOST_CELLS = 2_048

/**
 * A cell is a microsecond wide at first; its width doubles, pair by pair from zero on, whenever
 * there are more than 2,048 cells. The result depends only on what was counted, never on the order.
 */
export class EventTimes {
  #cellMicros = 1
  #counts = new Map<number, number>()

  record(atMicros: Micros): void {
    this.#add(Math.floor(atMicros / this.#cellMicros), 1)
    while (this.#counts.size > MOST_CELLS) this.#double()
  }

  /**
   * From `from` until before `to`; a cell that `from` or `to` cuts counts in proportion to the part
   * inside.
   */
  between(from: Micros, to: Micros): number {
    let sum = 0
    for (const [cell, count] of this.#counts) {
      const begin = cell * this.#cellMicros
      const end = begin + this.#cellMicros
      const inside = Math.min(end, to) - Math.max(begin, from)
      if (inside > 0) sum += (count * inside) / this.#cellMicros
    }
    return sum
  }

  #double(): void {
    this.#cellMicros *= 2
    const fine = this.#counts
    this.#counts = new Map()
    for (const [cell, count] of fine) this.#add(Math.floor(cell / 2), count)
  }

  #add(cell: number, count: number): void {
    this.#counts.set(cell, (this.#counts.get(cell) ?? 0) + count)
  }
}
