/** Rows by number, of which the oldest can be dropped: memory is proportional to the rows kept. */
import { assert } from '../assert.ts'

const CHUNK_BITS = 12
const CHUNK_ROWS = 1 << CHUNK_BITS
const CHUNK_MASK = CHUNK_ROWS - 1

/**
 * A growing table of numbers in typed chunks: a million rows cost their bytes and no more. It is
 * laid out row by row, because one execution's numbers are read together: among a million rows,
 * that is one cache miss per row rather than one per number.
 */
export class NumberTable {
  /** Keyed by chunk number; dropped chunks are missing. */
  readonly #chunks = new Map<number, Float64Array>()
  readonly #columns: number
  #length = 0
  #first = 0

  constructor(columns: number) {
    this.#columns = columns
  }

  get length(): number {
    return this.#length
  }

  /** The first row that is kept. */
  get first(): number {
    return this.#first
  }

  /** Adds a row of zeros and returns its number. */
  push(): number {
    const row = this.#length++
    if ((row & CHUNK_MASK) === 0) {
      this.#chunks.set(row >> CHUNK_BITS, new Float64Array(CHUNK_ROWS * this.#columns))
    }
    return row
  }

  at(row: number, column: number): number {
    this.#demand(row)
    return this.#chunkOf(row)[this.#place(row, column)]!
  }

  set(row: number, column: number, value: number): void {
    this.#demand(row)
    this.#chunkOf(row)[this.#place(row, column)] = value
  }

  /** Drops whole chunks of 4,096 rows, all of them before `row`. */
  dropBefore(row: number): void {
    while (this.#first + CHUNK_ROWS <= row) {
      this.#chunks.delete(this.#first >> CHUNK_BITS)
      this.#first += CHUNK_ROWS
    }
  }

  /** The message is built only on failure: this runs at every answer. */
  #demand(row: number): void {
    const isKept = row >= this.#first && row < this.#length
    if (!isKept) assert(false, `row ${row} of ${this.#length}`)
  }

  #chunkOf(row: number): Float64Array {
    return this.#chunks.get(row >> CHUNK_BITS)!
  }

  #place(row: number, column: number): number {
    return (row & CHUNK_MASK) * this.#columns + column
  }
}

/**
 * The row after the last whose value is at most `bound`, in a column that increases from row `from`
 * on; `from` if there is none.
 */
export function rowAfter(table: NumberTable, rising: number, bound: number, from = 0): number {
  let low = from
  let high = table.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (table.at(middle, rising) <= bound) low = middle + 1
    else high = middle
  }
  return low
}

/** Any values, by row. */
export class Rows<Value> {
  /** Keyed by chunk number; dropped chunks are missing. */
  readonly #chunks = new Map<number, Value[]>()
  #length = 0

  push(value: Value): void {
    const row = this.#length++
    const number = row >> CHUNK_BITS
    const chunk = this.#chunks.get(number)
    if (chunk === undefined) this.#chunks.set(number, [value])
    else chunk.push(value)
  }

  /** Undefined for a dropped row. */
  at(row: number): Value | undefined {
    return this.#chunks.get(row >> CHUNK_BITS)?.[row & CHUNK_MASK]
  }

  /** Does nothing for a dropped row. */
  set(row: number, value: Value): void {
    const chunk = this.#chunks.get(row >> CHUNK_BITS)
    if (chunk !== undefined) chunk[row & CHUNK_MASK] = value
  }

  /** Drops whole chunks of 4,096 rows, all of them before `row`. */
  dropBefore(row: number): void {
    for (const number of this.#chunks.keys()) {
      if ((number + 1) << CHUNK_BITS > row) return
      this.#chunks.delete(number)
    }
  }
}
