/** The desk: everything that a line of the journal reaches in a run. */
import type { JournalLine } from '../execution/journal.ts'
import type { Journal, Recorder, RunFolder } from '../result/index.ts'
import { createRecorder, openJournal } from '../result/index.ts'
import { Meters } from './meters.ts'

export class Desk {
  readonly recorder: Recorder
  readonly meters = new Meters()
  readonly #journal: Journal | null
  #journalErrors = 0

  /** `claims`: there will be a ledger to hold the executions against. Without a folder no journal is written. */
  constructor(folder: RunFolder | null, claims: boolean) {
    this.recorder = createRecorder({ claims })
    this.#journal = folder === null ? null : openJournal(folder.journal)
  }

  /** The journal first: what is recorded must not be lost by a kill right after. Throws when the journal could not take the line. */
  keep(line: JournalLine): void {
    this.#journal?.write(line)
    this.recorder.record(line)
    this.meters.saw(line)
    const errors = this.#journal?.errors
    if (errors === undefined || errors.count === this.#journalErrors) return
    this.#journalErrors = errors.count
    throw new Error(`the journal cannot be written: ${errors.first}`)
  }

  close(): void {
    this.#journal?.close()
    this.recorder.destroy()
    this.meters.close()
  }
}
