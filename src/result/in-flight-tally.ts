/** How many executions were in flight at once, told from their records: of all instances together, in whatever order they come. */
import type { Peak } from '../analysis/observations.ts'
import type { Micros } from '../units.ts'

/** About 11 MB. */
const MOST_CELLS = 262_144

/**
 * Acceptances and ends counted in cells of time. A cell is a microsecond wide at first and doubles whenever there are more than
 * `mostCells`: the peak is exact while they are few (an end frees its place before an acceptance of the same microsecond takes one), and lies between
 * two bounds after that. How wide the cells become depends on what was counted alone, never on the order.
 */
export class InFlightTally {
  #cellMicros = 1
  #accepted = new Map<number, number>()
  #ended = new Map<number, number>()
  readonly #mostCells: number

  constructor(mostCells = MOST_CELLS) {
    this.#mostCells = mostCells
  }

  accepted(atMicros: Micros): void {
    this.#count(this.#accepted, atMicros)
  }

  ended(atMicros: Micros): void {
    this.#count(this.#ended, atMicros)
  }

  /** `stillOpen` are the acceptances of executions whose end no line tells. */
  peak(stillOpen: readonly Micros[]): Peak {
    const accepted = new Map(this.#accepted)
    for (const atMicros of stillOpen) add(accepted, this.#cellOf(atMicros), 1)
    const cells = [...new Set([...accepted.keys(), ...this.#ended.keys()])].sort((a, b) => a - b)
    let level = 0
    const peak = { least: 0, most: 0 }
    for (const cell of cells) {
      const begun = accepted.get(cell) ?? 0
      const before = level
      level += begun - (this.#ended.get(cell) ?? 0)
      peak.least = Math.max(peak.least, level)
      peak.most = Math.max(peak.most, this.#cellMicros === 1 ? level : before + begun)
    }
    return peak
  }

  #count(counts: Map<number, number>, atMicros: Micros): void {
    add(counts, this.#cellOf(atMicros), 1)
    while (this.#accepted.size + this.#ended.size > this.#mostCells) this.#double()
  }

  #cellOf(atMicros: Micros): number {
    return Math.floor(atMicros / this.#cellMicros)
  }

  #double(): void {
    this.#cellMicros *= 2
    this.#accepted = doubled(this.#accepted)
    this.#ended = doubled(this.#ended)
  }
}

function add(counts: Map<number, number>, cell: number, count: number): void {
  counts.set(cell, (counts.get(cell) ?? 0) + count)
}

function doubled(counts: ReadonlyMap<number, number>): Map<number, number> {
  const half = new Map<number, number>()
  for (const [cell, count] of counts) add(half, Math.floor(cell / 2), count)
  return half
}
