/**
 * Follows a file of lines that other processes append to: what was added since the last
 * look, complete lines only.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'

const CHUNK_BYTES = 1_048_576

export class LineTail {
  readonly #file: number
  readonly #chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  readonly #decoder = new StringDecoder('utf8')
  /** The line that is being written. */
  #rest = ''

  /** Throws what `open` throws. */
  constructor(path: string) {
    this.#file = openSync(path, 'r')
  }

  /**
   * At most a megabyte of lines, without their ends; null if nothing was added. Throws what `read`
   * throws.
   */
  read(): string[] | null {
    const bytes = readSync(this.#file, this.#chunk)
    if (bytes === 0) return null
    const lines = (this.#rest + this.#decoder.write(this.#chunk.subarray(0, bytes))).split('\n')
    this.#rest = lines.pop() ?? ''
    return lines
  }

  /** A line that was begun but never completed: what a kill may leave. */
  get cut(): string {
    return this.#rest
  }

  close(): void {
    closeSync(this.#file)
  }
}
