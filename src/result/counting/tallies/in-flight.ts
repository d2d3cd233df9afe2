/**
 * How many executions were in flight at once, computed from the records of all instances together
 * in whatever order they come.
 */
import type { Peak } from '../../observations.ts'
import type { Micros } from '../../../base/units.ts'

/** Two columns of one megabyte each. */
const MOST_CELLS = 262_144
/**
 * At most a quarter as many microseconds are kept exactly: a larger map takes tens of milliseconds
 * each time it grows.
 */
const EXACT_PART = 4

/**
 * Counts acceptances and ends. The peak is exact while at most a quarter of `mostCells`
 * microseconds have an event (an end frees its place before an acceptance in the same microsecond
 * takes one). After that it lies between two bounds: `mostCells` cells of equal width span the run.
 * The result depends only on what was counted, never on the order.
 */
export class InFlightTally {
  #counts: Exact | Cells = new Exact()
  readonly #mostCells: number

  constructor(mostCells = MOST_CELLS) {
    this.#mostCells = mostCells
  }

  accepted(atMicros: Micros): void {
    this.#counts.accepted(atMicros)
    this.#limit()
  }

  ended(atMicros: Micros): void {
    this.#counts.ended(atMicros)
    this.#limit()
  }

  /** `stillOpen`: the acceptances of executions whose end no line reports. */
  peak(stillOpen: readonly Micros[]): Peak {
    return this.#counts.peak(stillOpen)
  }

  #limit(): void {
    if (this.#counts instanceof Cells) return
    if (this.#counts.size <= this.#mostCells / EXACT_PART) return
    this.#counts = this.#counts.inCells(this.#mostCells)
  }
}

/** Events by microsecond. */
class Exact {
  readonly #accepted = new Map<Micros, number>()
  readonly #ended = new Map<Micros, number>()

  get size(): number {
    return this.#accepted.size + this.#ended.size
  }

  accepted(atMicros: Micros): void {
    add(this.#accepted, atMicros)
  }

  ended(atMicros: Micros): void {
    add(this.#ended, atMicros)
  }

  peak(stillOpen: readonly Micros[]): Peak {
    const accepted = new Map(this.#accepted)
    for (const atMicros of stillOpen) add(accepted, atMicros)
    const moments = [...new Set([...accepted.keys(), ...this.#ended.keys()])]
    let level = 0
    let peak = 0
    for (const moment of moments.sort((a, b) => a - b)) {
      level += (accepted.get(moment) ?? 0) - (this.#ended.get(moment) ?? 0)
      peak = Math.max(peak, level)
    }
    return { least: peak, most: peak }
  }

  inCells(mostCells: number): Cells {
    const cells = new Cells(mostCells)
    for (const [atMicros, count] of this.#accepted) cells.accepted(atMicros, count)
    for (const [atMicros, count] of this.#ended) cells.ended(atMicros, count)
    return cells
  }
}

/** Events by cells of equal width. */
class Cells {
  /** A power of two: the smallest width at which all counted events fit into the columns. */
  #cellMicros = 1
  /** Cells from this one on are empty. */
  #used = 0
  readonly #accepted: Uint32Array
  readonly #ended: Uint32Array
  readonly #mostCells: number

  constructor(mostCells: number) {
    this.#mostCells = mostCells
    this.#accepted = new Uint32Array(mostCells)
    this.#ended = new Uint32Array(mostCells)
  }

  accepted(atMicros: Micros, count = 1): void {
    this.#reach(atMicros)
    this.#accepted[this.#cellOf(atMicros)]! += count
  }

  ended(atMicros: Micros, count = 1): void {
    this.#reach(atMicros)
    this.#ended[this.#cellOf(atMicros)]! += count
  }

  peak(stillOpen: readonly Micros[]): Peak {
    for (const atMicros of stillOpen) this.#reach(atMicros)
    const accepted = this.#accepted.slice()
    for (const atMicros of stillOpen) accepted[this.#cellOf(atMicros)]!++
    let level = 0
    const peak = { least: 0, most: 0 }
    for (const [cell, begun] of accepted.entries()) {
      peak.most = Math.max(peak.most, level + begun)
      level += begun - this.#ended[cell]!
      peak.least = Math.max(peak.least, level)
    }
    return peak
  }

  /**
   * The cell of a time. With clocks of several instances an event may lie before the zero; it
   * counts as at the zero.
   */
  #cellOf(atMicros: Micros): number {
    return Math.max(0, Math.floor(atMicros / this.#cellMicros))
  }

  #reach(atMicros: Micros): void {
    let widths = 1
    while (atMicros >= this.#cellMicros * widths * this.#mostCells) widths *= 2
    if (widths > 1) {
      fold(this.#accepted, this.#used, widths)
      fold(this.#ended, this.#used, widths)
      this.#cellMicros *= widths
      this.#used = Math.ceil(this.#used / widths)
    }
    this.#used = Math.max(this.#used, this.#cellOf(atMicros) + 1)
  }
}

function add(counts: Map<Micros, number>, atMicros: Micros): void {
  counts.set(atMicros, (counts.get(atMicros) ?? 0) + 1)
}

/** Merges each `widths` cells into one, in place; cells from `used` on are empty. */
function fold(column: Uint32Array, used: number, widths: number): void {
  for (let cell = 1; cell < used; cell++) {
    const count = column[cell]!
    if (count === 0) continue
    column[cell] = 0
    column[Math.floor(cell / widths)]! += count
  }
}
