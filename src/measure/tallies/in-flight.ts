/**
 * How many executions were in flight at once, told from their records: of all instances together,
 * in whatever order they come.
 */
import type { Peak } from '../../analysis/observations.ts'
import type { Micros } from '../../base/units.ts'

/** Two columns of a megabyte. */
const MOST_CELLS = 262_144
/**
 * Of these so many microseconds are told apart: a map of more takes tens of milliseconds each time
 * that it grows.
 */
const EXACT_PART = 4

/**
 * Acceptances and ends counted in cells of time. The peak is exact while there are no more than a
 * quarter of `mostCells` microseconds in which anything happened (an end frees its place before an
 * acceptance of the same microsecond takes one), and lies between two bounds after that: then
 * `mostCells` cells of equal width span the run. Both are kept from the start, so that there is
 * nothing to be made over when the one gives way to the other. What is told depends on what was
 * counted alone, never on the order.
 */
export class InFlightTally {
  #exact: { accepted: Map<Micros, number>; ended: Map<Micros, number> } | null = {
    accepted: new Map(),
    ended: new Map(),
  }
  /** A power of two: the least for which all that was counted lies within the columns. */
  #cellMicros = 1
  /** Cells from here on hold nothing. */
  #used = 0
  readonly #accepted: Uint32Array
  readonly #ended: Uint32Array
  readonly #mostCells: number

  constructor(mostCells = MOST_CELLS) {
    this.#mostCells = mostCells
    this.#accepted = new Uint32Array(mostCells)
    this.#ended = new Uint32Array(mostCells)
  }

  accepted(atMicros: Micros): void {
    this.#reach(atMicros)
    this.#accepted[this.#cellOf(atMicros)]!++
    if (this.#exact !== null) this.#tell(this.#exact.accepted, atMicros)
  }

  ended(atMicros: Micros): void {
    this.#reach(atMicros)
    this.#ended[this.#cellOf(atMicros)]!++
    if (this.#exact !== null) this.#tell(this.#exact.ended, atMicros)
  }

  /** `stillOpen` are the acceptances of executions whose end no line tells. */
  peak(stillOpen: readonly Micros[]): Peak {
    if (this.#exact !== null) return exactPeak(this.#exact, stillOpen)
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

  #tell(counts: Map<Micros, number>, atMicros: Micros): void {
    add(counts, atMicros)
    const { accepted, ended } = this.#exact!
    if (accepted.size + ended.size > this.#mostCells / EXACT_PART) this.#exact = null
  }

  /** Clocks of several instances may put a moment before the zero: it counts as the zero. */
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

function exactPeak(
  counts: { accepted: ReadonlyMap<Micros, number>; ended: ReadonlyMap<Micros, number> },
  stillOpen: readonly Micros[],
): Peak {
  const accepted = new Map(counts.accepted)
  for (const atMicros of stillOpen) add(accepted, atMicros)
  const moments = [...new Set([...accepted.keys(), ...counts.ended.keys()])].sort((a, b) => a - b)
  let level = 0
  let peak = 0
  for (const moment of moments) {
    level += (accepted.get(moment) ?? 0) - (counts.ended.get(moment) ?? 0)
    peak = Math.max(peak, level)
  }
  return { least: peak, most: peak }
}

function add(counts: Map<Micros, number>, atMicros: Micros): void {
  counts.set(atMicros, (counts.get(atMicros) ?? 0) + 1)
}

/**
 * Each `widths` cells become one, in place; no cell from `used` on holds anything, and few of those
 * before do.
 */
function fold(column: Uint32Array, used: number, widths: number): void {
  for (let cell = 1; cell < used; cell++) {
    const count = column[cell]!
    if (count === 0) continue
    column[cell] = 0
    column[Math.floor(cell / widths)]! += count
  }
}
