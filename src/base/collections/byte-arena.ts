/**
 * Lists of small integers as bytes, which share blocks of memory: thousands of short lists that
 * grow at the same time would each cost more for their array than for what it holds.
 */

const CHUNK_BYTES = 32
const CHUNKS_A_BLOCK = 2_048
const NONE = -1

/** The memory of several lists: blocks of chunks. The chunks of a released list are used again. */
export class ByteArena {
  readonly #blocks: Uint8Array[] = []
  /** The chunk that follows each chunk, in its list or among those that are free. */
  readonly #next: number[] = []
  #free = NONE

  /** The number of a chunk that no list has. */
  take(): number {
    if (this.#free === NONE) this.#grow()
    const chunk = this.#free
    this.#free = this.#next[chunk]!
    this.#next[chunk] = NONE
    return chunk
  }

  link(chunk: number, next: number): void {
    this.#next[chunk] = next
  }

  after(chunk: number): number {
    return this.#next[chunk]!
  }

  /** The block that holds the chunk, from `placeOf(chunk)` on. */
  blockOf(chunk: number): Uint8Array {
    return this.#blocks[Math.floor(chunk / CHUNKS_A_BLOCK)]!
  }

  /** Frees the chunks from the first to the last of a list. */
  release(first: number, last: number): void {
    this.#next[last] = this.#free
    this.#free = first
  }

  #grow(): void {
    const from = this.#next.length
    this.#blocks.push(new Uint8Array(CHUNKS_A_BLOCK * CHUNK_BYTES))
    for (let chunk = from; chunk < from + CHUNKS_A_BLOCK; chunk++) this.#next.push(chunk + 1)
    this.#next[from + CHUNKS_A_BLOCK - 1] = NONE
    this.#free = from
  }
}

/** A multiple of the size of a chunk. */
function placeOf(chunk: number): number {
  return (chunk % CHUNKS_A_BLOCK) * CHUNK_BYTES
}

const NO_BLOCK = new Uint8Array(0)

/** Grows at its end, and is read from its start. */
export class ByteList {
  readonly #arena: ByteArena
  #first = NONE
  #last = NONE
  #block: Uint8Array = NO_BLOCK
  /**
   * The offset of the next byte in the block; at the start of a chunk, a new chunk is needed first.
   */
  #at = 0

  constructor(arena: ByteArena) {
    this.#arena = arena
  }

  /** `byte`: an integer from 0 to 255. */
  pushByte(byte: number): void {
    if (this.#at % CHUNK_BYTES === 0) this.#extend()
    this.#block[this.#at++] = byte
  }

  /**
   * An integer whose double is a safe integer: the sign in the lowest bit, then seven bits a byte
   * from the lowest on, as in Protocol Buffers' `sint64`. It takes one byte from -64 to 63, two to
   * 8,191 and three to 1,048,575.
   */
  push(integer: number): void {
    let rest = integer < 0 ? -2 * integer - 1 : 2 * integer
    while (rest >= 128) {
      this.pushByte((rest % 128) + 128)
      rest = Math.floor(rest / 128)
    }
    this.pushByte(rest)
  }

  /** Reads what was pushed, in the same order; valid until the list is released. */
  reader(): ByteReader {
    return new ByteReader(this.#arena, this.#first)
  }

  /** Empties the list. */
  release(): void {
    if (this.#first === NONE) return
    this.#arena.release(this.#first, this.#last)
    this.#first = NONE
    this.#last = NONE
    this.#at = 0
  }

  #extend(): void {
    const chunk = this.#arena.take()
    if (this.#first === NONE) this.#first = chunk
    else this.#arena.link(this.#last, chunk)
    this.#last = chunk
    this.#block = this.#arena.blockOf(chunk)
    this.#at = placeOf(chunk)
  }
}

/** Nothing may be read beyond the end of the list. */
export class ByteReader {
  readonly #arena: ByteArena
  /** The chunk that is read next. */
  #next: number
  #block: Uint8Array = NO_BLOCK
  #at = 0

  constructor(arena: ByteArena, first: number) {
    this.#arena = arena
    this.#next = first
  }

  byte(): number {
    if (this.#at % CHUNK_BYTES === 0) {
      this.#block = this.#arena.blockOf(this.#next)
      this.#at = placeOf(this.#next)
      this.#next = this.#arena.after(this.#next)
    }
    return this.#block[this.#at++]!
  }

  integer(): number {
    let value = 0
    let scale = 1
    let byte = this.byte()
    for (; byte >= 128; byte = this.byte()) {
      value += (byte - 128) * scale
      scale *= 128
    }
    value += byte * scale
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }
}
