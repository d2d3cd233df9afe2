/** Where the lines of a run go: the journal, the recorder, and whoever else listens. */
import type { JournalLine } from '../execution/record/journal-lines.ts'
import type { Journal } from '../journal/journal.ts'
import type { Recorder } from '../measure/recorder.ts'
import type { RunFolder } from './folder/folder.ts'
import { createRecorder } from '../measure/recorder.ts'
import { openBatchingJournal, openJournal } from '../journal/journal.ts'
import { Meters } from './progress/meters.ts'

export interface LineSinkOptions {
  /** There will be a ledger to hold the executions against. */
  claims: boolean
  /** A kill loses nothing that was paid for: lines need not be handed over one by one. */
  repeatable: boolean
  /** Told once, when a line could not be kept, in words. */
  onTrouble?: ((trouble: string) => void) | undefined
  /** Who else wants to see each line. */
  onLine?: (line: JournalLine) => void
}

export class LineSink {
  readonly recorder: Recorder
  readonly meters = new Meters()
  /** Where instances that write their own lines append them; null without a folder. */
  readonly journalPath: string | null
  /** Lines that came cut or foreign: a run with any is INVALID. */
  unreadableLines = 0
  readonly #journal: Journal | null
  readonly #onLine: LineSinkOptions['onLine']
  readonly #onTrouble: LineSinkOptions['onTrouble']
  #journalErrors = 0
  #troubled = false

  /** Without a folder no journal is written. */
  constructor(
    folder: RunFolder | null,
    { claims, repeatable, onLine, onTrouble }: LineSinkOptions,
  ) {
    const open = repeatable ? openBatchingJournal : openJournal
    this.recorder = createRecorder({ claims })
    this.#onLine = onLine
    this.#onTrouble = onTrouble
    this.journalPath = folder?.journal ?? null
    this.#journal = folder === null ? null : open(folder.journal)
  }

  /**
   * The journal first: what is recorded must not be lost by a kill right after. Throws when the
   * journal could not take the line.
   */
  keep(line: JournalLine): void {
    this.#journal?.write(line)
    this.see(line)
    const errors = this.#journal?.errors
    if (errors === undefined || errors.count === this.#journalErrors) return
    this.#journalErrors = errors.count
    this.unwritten(line, errors.first ?? '')
    throw new Error(`the journal cannot be written: ${errors.first}`)
  }

  /**
   * The journal did not take the line: the run is INVALID whatever else is told, and the user hears
   * of it now.
   */
  unwritten(line: JournalLine, why: string): void {
    if (this.#troubled) return
    this.#troubled = true
    const message = `the journal cannot be written: ${why}`
    const { instance } = line.type === 'ended' ? line.record : line
    const atMicros = 'atMicros' in line ? line.atMicros : 0
    const place = { instance, atMicros, index: null }
    this.recorder.record({ type: 'finding', ...place, finding: { kind: 'journal-error', message } })
    this.#onTrouble?.(`${message}; the run continues, and is INVALID`)
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
