/** The journal: a file to which each line is handed over before the run goes on, so that a kill of the process loses none. */
import { closeSync, constants, fsync, fsyncSync, openSync, writeSync } from 'node:fs'
import type { JournalLine } from '../execution/journal.ts'

const NANOS_PER_SYNC = 1_000_000_000n

export interface Journal {
  readonly path: string
  /**
   * The operating system has the line when this returns: a kill of the process cannot lose it, a power cut may lose the last second. False when
   * the line could not be written. Never throws.
   */
  write(line: JournalLine): boolean
  /** Lines that could not be written, and what was said of the first. A run with any is INVALID. */
  readonly errors: { count: number; first: string | null }
  /** Never throws; what is written afterwards counts as an error. */
  close(): void
}

/** Creates or empties the file at `path`; throws what `open` throws. */
export function openJournal(path: string): Journal {
  return new FileJournal(path, ONE_WRITER)
}

/**
 * As `openJournal`, for a run that nothing is lost with and that can be had again: lines are handed over 64 KiB at a time, and with the last one. An error of
 * the disk is known that much later. Throws what `open` throws.
 */
export function openBatchingJournal(path: string): Journal {
  return new FileJournal(path, ONE_WRITER, BATCH_UNITS)
}

/**
 * Joins the other writers of the file at `path`, threads or processes of this machine. Each line is one `write` to a file opened with O_APPEND: POSIX
 * moves to the end and writes in one step, and Linux holds the file's lock meanwhile, so that no line falls into another. Throws what `open` throws.
 */
export function joinJournal(path: string): Journal {
  return new FileJournal(path, ONE_OF_SEVERAL)
}

/** Both append: the one who made the file may go on writing when others have joined. */
const ONE_WRITER = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND
const ONE_OF_SEVERAL = constants.O_WRONLY | constants.O_APPEND
const BATCH_UNITS = 65_536

class FileJournal implements Journal {
  readonly path: string
  readonly errors: Journal['errors'] = { count: 0, first: null }
  readonly #file: number
  readonly #alone: boolean
  /** UTF-16 units of text that are waited for before they are written. */
  readonly #batchUnits: number
  #waiting = ''
  #open = true
  /** A line was cut by an error: the next one begins on a line of its own. */
  #torn = false
  #syncing = false
  #syncedAt = process.hrtime.bigint()

  constructor(path: string, flags: number, batchUnits = 0) {
    this.path = path
    this.#batchUnits = batchUnits
    this.#alone = flags === ONE_WRITER
    this.#file = openSync(path, flags)
  }

  write(line: JournalLine): boolean {
    if (!this.#open) {
      this.#note(new Error('the journal is closed'))
      return false
    }
    try {
      this.#waiting += `${JSON.stringify(line)}\n`
      if (this.#waiting.length < this.#batchUnits && line.type !== 'finished') return true
      this.#handOver()
    } catch (error) {
      this.#torn = true
      this.#note(error)
    }
    this.#syncAtTimes()
    return !this.#torn
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    try {
      this.#handOver()
      fsyncSync(this.#file)
    } catch (error) {
      this.#note(error)
    }
    try {
      closeSync(this.#file)
    } catch (error) {
      this.#note(error)
    }
  }

  /** What cannot be written is lost. */
  #handOver(): void {
    if (this.#waiting === '') return
    const text = this.#torn ? `\n${this.#waiting}` : this.#waiting
    this.#waiting = ''
    this.#writeAll(Buffer.from(text))
    this.#torn = false
  }

  /** A full disk may take a part only; beside other writers the rest would fall behind one of their lines. */
  #writeAll(bytes: Buffer): void {
    let written = writeSync(this.#file, bytes)
    while (this.#alone && written < bytes.length) {
      written += writeSync(this.#file, bytes, written, bytes.length - written)
    }
    if (written < bytes.length) throw new Error(`a line was cut after ${written} bytes`)
  }

  /** In the thread pool, at most once a second: a disk that takes its time must not make the generator late. */
  #syncAtTimes(): void {
    const now = process.hrtime.bigint()
    if (this.#syncing || now - this.#syncedAt < NANOS_PER_SYNC) return
    this.#syncing = true
    this.#syncedAt = now
    fsync(this.#file, (error) => {
      this.#syncing = false
      if (error !== null && this.#open) this.#note(error)
    })
  }

  #note(error: unknown): void {
    this.errors.count++
    this.errors.first ??= error instanceof Error ? error.message : String(error)
  }
}
