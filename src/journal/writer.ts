/**
 * Writes the journal: a file to which each line is written before the run continues, so that
 * killing the process loses none.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsync,
  fsyncSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { JournalLine } from '../execution/record/journal-lines.ts'
import { messageOf } from '../base/text.ts'

const MS_PER_SYNC = 1_000

export interface Journal {
  readonly path: string
  /**
   * The operating system has the line when this returns: killing the process cannot lose it. A
   * power cut or a crash of the machine may lose what was written since the last fsync: one begins
   * at most a second after a line, in a separate thread, so that a slow disk delays no request;
   * closing waits for one. Returns false if the line could not be written. Never throws.
   */
  write(line: JournalLine): boolean
  /**
   * The number of lines that could not be written, and the first error. A run with any is INVALID.
   */
  readonly errors: { count: number; first: string | null }
  /** Never throws; later writes count as errors. */
  close(): void
}

/** The journal's calls to the operating system; Node's own, except in tests. */
export type JournalSystem = Pick<
  typeof import('node:fs'),
  'closeSync' | 'fstatSync' | 'fsync' | 'fsyncSync' | 'writeSync'
>
const NODE: JournalSystem = { closeSync, fstatSync, fsync, fsyncSync, writeSync }

/**
 * Creates or empties the file at `path`, and makes its name survive a power cut too. Throws what
 * `open` throws.
 */
export function openJournal(path: string, system: JournalSystem = NODE): Journal {
  const journal = new FileJournal(path, { flags: ANEW, system })
  syncFolder(dirname(path))
  return journal
}

/**
 * As `openJournal`, for a run that costs nothing and can be repeated: lines are written in blocks
 * of 64 KiB, and with the last one. A disk error is noticed that much later. Throws what `open`
 * throws.
 */
export function openBatchingJournal(path: string): Journal {
  return new FileJournal(path, { flags: ANEW, batchUnits: BATCH_UNITS, system: NODE })
}

/**
 * Continues the file at `path`, which a former process wrote and may have left in the middle of a
 * line: new text begins on a new line. Throws what `open` and reading throw.
 */
export function continueJournal(path: string): Journal {
  return new FileJournal(path, { flags: AGAIN, torn: !endsWhole(path), system: NODE })
}

const ANEW = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND
const AGAIN = constants.O_WRONLY | constants.O_APPEND
const BATCH_UNITS = 65_536
const NEWLINE = 0x0a

/** True for an empty file too. */
function endsWhole(path: string): boolean {
  const file = openSync(path, constants.O_RDONLY)
  try {
    const { size } = fstatSync(file)
    const last = Buffer.alloc(1)
    return size === 0 || (readSync(file, last, 0, 1, size - 1) === 1 && last[0] === NEWLINE)
  } finally {
    closeSync(file)
  }
}

/** Some systems cannot open folders: there, the file's name is as safe as the system makes it. */
function syncFolder(folder: string): void {
  try {
    const file = openSync(folder, constants.O_RDONLY)
    fsyncSync(file)
    closeSync(file)
  } catch {
    // This system cannot open folders.
  }
}

interface FileJournalOptions {
  flags: number
  /** UTF-16 units of text to buffer before writing. Default 0. */
  batchUnits?: number
  /** The file ends in the middle of a line. Default false. */
  torn?: boolean
  system: JournalSystem
}

class FileJournal implements Journal {
  readonly path: string
  readonly errors: Journal['errors'] = { count: 0, first: null }
  readonly #file: number
  readonly #batchUnits: number
  readonly #system: JournalSystem
  #waiting = ''
  #open = true
  /** A line was truncated: the next one begins on a new line. */
  #torn: boolean
  #removed = false
  #syncTimer: NodeJS.Timeout | undefined

  constructor(path: string, { flags, batchUnits = 0, torn = false, system }: FileJournalOptions) {
    this.path = path
    this.#batchUnits = batchUnits
    this.#torn = torn
    this.#system = system
    this.#file = openSync(path, flags)
  }

  write(line: JournalLine): boolean {
    if (!this.#open) {
      this.#note(new Error('the journal is closed'))
      return false
    }
    this.#waiting += `${JSON.stringify(line)}\n`
    if (this.#waiting.length < this.#batchUnits && line.type !== 'finished') return true
    const written = this.#handedOver()
    if (line.type === 'finished') this.#checkRemoved()
    this.#syncTimer ??= setTimeout(() => this.#sync(), MS_PER_SYNC).unref()
    return written && !this.#removed
  }

  close(): void {
    if (!this.#open) return
    this.#open = false
    clearTimeout(this.#syncTimer)
    this.#handedOver()
    this.#tried(() => this.#system.fsyncSync(this.#file))
    this.#checkRemoved()
    this.#tried(() => this.#system.closeSync(this.#file))
  }

  /** Lines that cannot be written are lost. */
  #handedOver(): boolean {
    if (this.#waiting === '') return true
    const text = this.#torn ? `\n${this.#waiting}` : this.#waiting
    this.#waiting = ''
    const written = this.#tried(() => this.#writeAll(Buffer.from(text)))
    this.#torn = !written
    return written
  }

  /** A full disk may take only a part. */
  #writeAll(bytes: Buffer): void {
    const { writeSync: write } = this.#system
    let written = 0
    while (written < bytes.length) {
      written += write(this.#file, bytes, written, bytes.length - written)
    }
  }

  #sync(): void {
    this.#checkRemoved()
    this.#system.fsync(this.#file, (error) => {
      this.#syncTimer = undefined
      if (error !== null && this.#open) this.#note(error)
    })
  }

  /**
   * A file without any name left accepts every line but keeps none. Reported once, as one error.
   */
  #checkRemoved(): void {
    this.#tried(() => {
      if (this.#removed || this.#system.fstatSync(this.#file).nlink > 0) return
      this.#removed = true
      throw new Error('the file was removed, with every line in it')
    })
  }

  #tried(act: () => void): boolean {
    try {
      act()
      return true
    } catch (error) {
      this.#note(error)
      return false
    }
  }

  #note(error: unknown): void {
    this.errors.count++
    this.errors.first ??= messageOf(error)
  }
}
