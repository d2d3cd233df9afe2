/** A growing column of numbers in typed chunks: a million rows cost their bytes and no more. */
import { assert } from '../../src/assert.ts'

const CHUNK_BITS = 14
const CHUNK_ROWS = 1 << CHUNK_BITS
const CHUNK_MASK = CHUNK_ROWS - 1

type Chunk = Float64Array | Uint32Array | Uint8Array

export class Column {
  readonly #chunks: Chunk[] = []
  readonly #Chunk: new (rows: number) => Chunk
  #length = 0

  /** `ChunkType` bounds the values: a `Uint32Array` column holds integers from 0 to 2^32 - 1. */
  constructor(ChunkType: new (rows: number) => Chunk) {
    this.#Chunk = ChunkType
  }

  get length(): number {
    return this.#length
  }

  push(value: number): void {
    const row = this.#length++
    if ((row & CHUNK_MASK) === 0) this.#chunks.push(new this.#Chunk(CHUNK_ROWS))
    this.#chunks[row >> CHUNK_BITS]![row & CHUNK_MASK] = value
  }

  at(row: number): number {
    assert(row >= 0 && row < this.#length, `row ${row} of ${this.#length}`)
    return this.#chunks[row >> CHUNK_BITS]![row & CHUNK_MASK]!
  }

  set(row: number, value: number): void {
    assert(row >= 0 && row < this.#length, `row ${row} of ${this.#length}`)
    this.#chunks[row >> CHUNK_BITS]![row & CHUNK_MASK] = value
  }
}

/** How many values of a rising column are at most `bound`. */
export function countUpTo(rising: Column, bound: number): number {
  let low = 0
  let high = rising.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (rising.at(middle) <= bound) low = middle + 1
    else high = middle
  }
  return low
}
