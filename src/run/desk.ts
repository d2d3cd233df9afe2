/** The desk: everything that a line of the journal reaches in a run. */
import type { JournalLine } from '../execution/journal.ts'
import type { Journal, Recorder, RunFolder } from '../result/index.ts'
import { createRecorder, openBatchingJournal, openJournal } from '../result/index.ts'
import { Meters } from './meters.ts'

export interface DeskOptions {
  /** There will be a ledger to hold the executions against. */
  claims: boolean
  /** A kill loses nothing that was paid for: lines need not be handed over one by one. */
  repeatable: boolean
  /** Who else wants to see each line. */
  onLine?: (line: JournalLine) => void
}

export class Desk {
  readonly recorder: Recorder
  readonly meters = new Meters()
  /** Where instances that write their own lines append them; null without a folder. */
  readonly journalPath: string | null
  /** Lines that came cut or foreign: a run with any is INVALID. */
  unreadableLines = 0
  readonly #journal: Journal | null
  readonly #onLine: DeskOptions['onLine']
  #journalErrors = 0

  /** Without a folder no journal is written. */
  constructor(folder: RunFolder | null, { claims, repeatable, onLine }: DeskOptions) {
    const open = repeatable ? openBatchingJournal : openJournal
    this.recorder = createRecorder({ claims })
    this.#onLine = onLine
    this.journalPath = folder?.journal ?? null
    this.#journal = folder === null ? null : open(folder.journal)
  }

  /** The journal first: what is recorded must not be lost by a kill right after. Throws when the journal could not take the line. */
  keep(line: JournalLine): void {
    this.#journal?.write(line)
    this.see(line)
    const errors = this.#journal?.errors
    if (errors === undefined || errors.count === this.#journalErrors) return
    this.#journalErrors = errors.count
    throw new Error(`the journal cannot be written: ${errors.first}`)
  }

  /** A line that its instance has written to the journal already. */
  see(line: JournalLine): void {
    this.recorder.record(line)
    this.meters.saw(line)
    this.#onLine?.(line)
  }

  close(): void {
    this.#journal?.close()
    this.recorder.destroy()
    this.meters.close()
  }
}
