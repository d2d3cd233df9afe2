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

  /** Gives every line that was added, at most `megabytes` of them. Throws what `read` throws. */
  each(take: (line: string) => void, megabytes: number): void {
    for (let i = 0; i < megabytes; i++) {
      const lines = this.#read()
      if (lines === null) return
      for (const line of lines) take(line)
    }
  }

  /**
   * Gives all that is left when nobody writes any more, also a line that was begun but never
   * completed, and closes the file.
   */
  finish(take: (line: string) => void): void {
    this.each(take, Infinity)
    if (this.#rest !== '') take(this.#rest)
    this.close()
  }

  close(): void {
    closeSync(this.#file)
  }

  /** At most a megabyte of lines, without their ends; null if nothing was added. */
  #read(): string[] | null {
    const bytes = readSync(this.#file, this.#chunk)
    if (bytes === 0) return null
    const lines = (this.#rest + this.#decoder.write(this.#chunk.subarray(0, bytes))).split('\n')
    this.#rest = lines.pop() ?? ''
    return lines
  }
}
