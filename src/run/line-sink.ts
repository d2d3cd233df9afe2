/** The destination of a run's lines: the journal, the recorder, and other listeners. */
import type { Answer, Operation } from '../crew/answer.ts'
import type { JournalLine } from '../execution/record/journal-lines.ts'
import type { Journal } from '../journal/writer.ts'
import type { Recorder } from '../result/counting/recorder.ts'
import type { RunFolder } from './folder/folder.ts'
import { createRecorder } from '../result/counting/recorder.ts'
import { continueJournal, openBatchingJournal, openJournal } from '../journal/writer.ts'
import { Flights, Meters } from './progress.ts'
import type { Telemetry } from '../host/telemetry/open.ts'

/** `batched`: of a run that can be repeated without cost. `continued`: of an earlier process. */
export type JournalManner = 'anew' | 'batched' | 'continued'

const OPEN: Readonly<Record<JournalManner, (path: string) => Journal>> = {
  anew: (path) => openJournal(path),
  batched: openBatchingJournal,
  continued: continueJournal,
}

export function openedJournal(folder: RunFolder | null, manner: JournalManner): Journal | null {
  return folder === null ? null : OPEN[manner](folder.journal)
}

interface LineSinkOptions {
  /** Whether there will be a ledger to compare the executions with. */
  claims: boolean
  /** Whether its page will list executions. */
  executions: boolean
  journal: JournalManner
  /** Called once, with the reason, when a line could not be kept. */
  onTrouble?: ((trouble: string) => void) | undefined
  /** Called for each line. */
  onLine?: ((line: JournalLine) => void) | undefined
  /** The exported metrics and traces of the run; null if none were asked for. Default null. */
  telemetry?: Telemetry | null
  /** Of a mix: the part whose lines these are, and the journal of all parts. Default: no mix. */
  ofMix?: { part: string; journal: Journal | null }
}

export class LineSink {
  readonly recorder: Recorder
  readonly meters = new Meters()
  readonly flights = new Flights()
  /** Null without a folder. */
  readonly journalPath: string | null
  /** Lines that arrived truncated or were not ours: a run with any is INVALID. */
  unreadableLines = 0
  /** The names with which the crew refused the first kickoff; null if it did not. */
  refusedInputs: readonly string[] | null = null
  readonly #journal: Journal | null
  readonly #onLine: LineSinkOptions['onLine']
  readonly #onTrouble: LineSinkOptions['onTrouble']
  readonly #telemetry: Telemetry | null
  readonly #ofMix: LineSinkOptions['ofMix']
  #journalErrors = 0
  #troubled = false

  /** Writes no journal without a folder. */
  constructor(
    folder: RunFolder | null,
    { claims, executions, journal, onLine, onTrouble, telemetry = null, ofMix }: LineSinkOptions,
  ) {
    this.recorder = createRecorder({ claims, executions })
    this.#onLine = onLine
    this.#onTrouble = onTrouble
    this.#telemetry = telemetry
    this.journalPath = folder?.journal ?? null
    this.#ofMix = ofMix
    this.#journal = ofMix === undefined ? openedJournal(folder, journal) : ofMix.journal
  }

  /**
   * Writes to the journal first: a kill right afterwards must not lose what is recorded. Throws
   * when the journal could not take the line.
   */
  keep(line: JournalLine): void {
    const part = this.#ofMix?.part
    this.#journal?.write(part === undefined ? line : { ...line, part })
    this.see(line)
    const errors = this.#journal?.errors
    if (errors === undefined || errors.count === this.#journalErrors) return
    this.#journalErrors = errors.count
    this.#unwritten(line, errors.first ?? '')
    throw new Error(`the journal cannot be written: ${errors.first}`)
  }

  /**
   * The journal could not take the line: the run is INVALID whatever follows, and the user is told
   * now.
   */
  #unwritten(line: JournalLine, why: string): void {
    if (this.#troubled) return
    this.#troubled = true
    const { instance } = line.type === 'ended' ? line.record : line
    const atMicros = 'atMicros' in line ? line.atMicros : 0
    const place = { instance, atMicros, index: null }
    this.recorder.record({
      type: 'incident',
      ...place,
      incident: { kind: 'journal-error', message: why },
    })
    this.#onTrouble?.(`the journal cannot be written: ${why}; the run continues, and is INVALID`)
  }

  /** Records a line that the journal does not need, or could not take. */
  see(line: JournalLine): void {
    this.recorder.record(line)
    this.meters.saw(line)
    this.flights.saw(line)
    if (line.type === 'incident' && line.incident.kind === 'inputs-refused') {
      this.refusedInputs ??= line.incident.names
    }
    this.#telemetry?.saw(line)
    this.#onLine?.(line)
  }

  /** An answer, long before the line of its execution. */
  answered(operation: Operation, answer: Answer): void {
    this.meters.answered(operation, answer)
    this.#telemetry?.answered(operation, answer)
  }

  close(): void {
    if (this.#ofMix === undefined) this.#journal?.close()
    this.recorder.destroy()
    this.meters.close()
  }
}
