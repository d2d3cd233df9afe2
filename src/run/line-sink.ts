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

interface SinkOptions {
  /** Whether there will be a ledger to compare the executions with. */
  claims: boolean
  /** Whether its page will list executions. */
  executions: boolean
  /** Called once, with the reason, when a line could not be kept. */
  onTrouble?: ((trouble: string) => void) | undefined
  /** Called for each line. */
  onLine?: ((line: JournalLine) => void) | undefined
  /** The exported metrics and traces of the run; null if none were asked for. Default null. */
  telemetry?: Telemetry | null
  /** The part of a mix whose lines these are. Default: no mix. */
  part?: string | undefined
}

/** Opens the journal, into which each load has a sink, and closes all of them in the end. */
export async function withSinks<Outcome>(
  folder: RunFolder | null,
  manner: JournalManner,
  wanted: readonly SinkOptions[],
  act: (sinks: LineSink[]) => Promise<Outcome>,
): Promise<Outcome> {
  const journal = folder === null ? null : OPEN[manner](folder.journal)
  const sinks = wanted.map((each) => new LineSink(journal, folder, each))
  try {
    return await act(sinks)
  } finally {
    for (const sink of sinks) sink.close()
    journal?.close()
  }
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
  readonly #onLine: SinkOptions['onLine']
  readonly #onTrouble: SinkOptions['onTrouble']
  readonly #telemetry: Telemetry | null
  readonly #part: string | undefined
  #journalErrors = 0
  #troubled = false

  constructor(
    journal: Journal | null,
    folder: Pick<RunFolder, 'journal'> | null,
    { claims, executions, onLine, onTrouble, telemetry = null, part }: SinkOptions,
  ) {
    this.recorder = createRecorder({ claims, executions })
    this.#onLine = onLine
    this.#onTrouble = onTrouble
    this.#telemetry = telemetry
    this.journalPath = folder?.journal ?? null
    this.#part = part
    this.#journal = journal
  }

  /**
   * Writes to the journal first: a kill right afterwards must not lose what is recorded. Throws
   * when the journal could not take the line.
   */
  keep(line: JournalLine): void {
    const part = this.#part
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
    this.recorder.destroy()
    this.meters.close()
  }
}
