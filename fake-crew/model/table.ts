/**
 * A growing table of numbers in typed chunks: a million rows cost their bytes and no more. It is laid out row by row, for one
 * execution's numbers are asked together: among a million each row is one wait for memory, not one a number.
 */
import { assert } from '../../src/assert.ts'

const CHUNK_BITS = 12
const CHUNK_ROWS = 1 << CHUNK_BITS
const CHUNK_MASK = CHUNK_ROWS - 1

export class Table {
  readonly #chunks: Float64Array[] = []
  readonly #columns: number
  #length = 0

  constructor(columns: number) {
    this.#columns = columns
  }

  get length(): number {
    return this.#length
  }

  /** Adds a row of zeros and returns its number. */
  push(): number {
    const row = this.#length++
    if ((row & CHUNK_MASK) === 0) this.#chunks.push(new Float64Array(CHUNK_ROWS * this.#columns))
    return row
  }

  at(row: number, column: number): number {
    this.#demand(row)
    return this.#chunks[row >> CHUNK_BITS]![this.#place(row, column)]!
  }

  set(row: number, column: number, value: number): void {
    this.#demand(row)
    this.#chunks[row >> CHUNK_BITS]![this.#place(row, column)] = value
  }

  /** A text is made for what goes wrong alone: this is asked at every answer. */
  #demand(row: number): void {
    if (row < 0 || row >= this.#length) assert(false, `row ${row} of ${this.#length}`)
  }

  #place(row: number, column: number): number {
    return (row & CHUNK_MASK) * this.#columns + column
  }
}

/** The row behind the last whose value is at most `bound`, in a column that rises from row `from` on; `from` where none is. */
export function countUpTo(table: Table, rising: number, bound: number, from = 0): number {
  let low = from
  let high = table.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (table.at(middle, rising) <= bound) low = middle + 1
    else high = middle
  }
  return low
}
