/** Acceptances and completions over time, counted within a span that is known only at the end. */
import type { Throughput } from '../../observations.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import type { Micros } from '../../../base/units.ts'

export interface Span {
  fromMicros: Micros
  toMicros: Micros
}

/** Events count by the time when they happened, including those of warm-up arrivals. */
export class ThroughputTally {
  readonly #accepted = new EventTimes()
  readonly #completed = new EventTimes()

  record({ outcome, acceptedMicros, endedMicros }: ExecutionRecord): void {
    if (acceptedMicros !== null) this.#accepted.record(acceptedMicros)
    if (outcome === 'completed') this.#completed.record(endedMicros)
  }

  within(span: Span | null): Throughput | null {
    if (span === null) return null
    const { fromMicros, toMicros } = span
    return {
      accepted: this.#accepted.between(fromMicros, toMicros),
      completed: this.#completed.between(fromMicros, toMicros),
      spanMicros: toMicros - fromMicros,
    }
  }
}

const MOST_CELLS = 2_048

interface ThroughputCell {
  readonly cell: number
  count: number
}

/** Equal to none. */
const NO_CELL: ThroughputCell = { cell: NaN, count: 0 }

/**
 * A cell is a microsecond wide at first; its width doubles, pair by pair from zero on, whenever
 * there are more than 2,048 cells. The result depends only on what was counted, never on the order.
 */
class EventTimes {
  #cellMicros = 1
  #counts = new Map<number, ThroughputCell>()
  /** Neighbouring events fall into one cell, once cells are wide. */
  #last = NO_CELL

  record(atMicros: Micros): void {
    const cell = Math.floor(atMicros / this.#cellMicros)
    if (cell === this.#last.cell) {
      this.#last.count++
      return
    }
    this.#last = this.#add(cell, 1)
    while (this.#counts.size > MOST_CELLS) this.#double()
  }

  /**
   * Counts the events from `from` until before `to`; a cell that either of them cuts counts in
   * proportion to the part inside.
   */
  between(from: Micros, to: Micros): number {
    let sum = 0
    for (const { cell, count } of this.#counts.values()) {
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
    for (const { cell, count } of fine.values()) {
      this.#add(Math.floor(cell / 2), count)
    }
    this.#last = NO_CELL
  }

  #add(cell: number, count: number): ThroughputCell {
    const known = this.#counts.get(cell) ?? { cell, count: 0 }
    if (known.count === 0) this.#counts.set(cell, known)
    known.count += count
    return known
  }
}
