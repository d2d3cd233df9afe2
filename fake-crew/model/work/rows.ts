/**
 * Values by row number, the oldest of which can be dropped: memory is proportional to the rows
 * kept.
 */
const CHUNK_BITS = 12
const CHUNK_MASK = (1 << CHUNK_BITS) - 1

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
