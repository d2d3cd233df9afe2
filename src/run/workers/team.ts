/**
 * The worker threads of a run as one load: they begin together, are read through the journal that
 * they write, and are reported when one is lost.
 */
import { unreachable } from '../../base/assert.ts'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import { RunClock } from '../../host/node/clock.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Journal } from '../../journal/writer.ts'
import { joinJournal } from '../../journal/writer.ts'
import { LineTail } from '../../journal/line-tail.ts'
import type { Plan } from '../../scenario/plan.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'
import type { Abandoned } from '../bodies/body.ts'
import type { ClockLink } from '../fake/clock-link.ts'
import type { Load } from '../drive.ts'
import type { LineSink } from '../line-sink.ts'
import { InstancesAsOne } from '../progress/instances.ts'
import type { LiveStats } from '../progress/live.ts'
import type { Report } from './messages.ts'
import { PULSE_EVERY_MS } from './messages.ts'
import type { RunWorker } from './worker.ts'

/**
 * Orders reach the threads one after another, and each writes its first line. The clock's zero is
 * set after that, so the first arrivals are on time.
 */
const LEAD_MICROS = 50 * MICROS_PER_MS
const LEAD_A_WORKER_MICROS = 5 * MICROS_PER_MS

const READ_EVERY_MS = 100
/** Megabytes of journal read at once; signals are handled in between. */
const READS_AT_ONCE = 4

/**
 * Pulses that a worker may miss before it is assumed to hang in the author's code: one minute of
 * them, or ten seconds after an immediate stop.
 */
const SILENT_PULSES = 60_000 / PULSE_EVERY_MS
const SILENT_PULSES_AT_END = 10_000 / PULSE_EVERY_MS

export class Team implements Load {
  /** The clock whose zero all workers share. */
  readonly #clock = new RunClock()
  readonly #clocks: ClockLink | null
  readonly #lineSink: LineSink
  readonly #workers: readonly RunWorker[]
  readonly #instancesAsOne: InstancesAsOne
  readonly #tail: LineTail
  /** The journal for lines that a lost worker can no longer write. */
  readonly #journal: Journal
  /** Consecutive missed pulses, by instance. */
  readonly #silent: number[]
  readonly #timers: NodeJS.Timeout[] = []
  #silentPulses = SILENT_PULSES
  #ended = Promise.resolve()
  #lost: string | null = null

  /**
   * `journal` is a file that all workers have joined; throws when it cannot be opened. `clocks` is
   * told the run's zero.
   */
  constructor(
    plan: Plan,
    lineSink: LineSink,
    workers: readonly RunWorker[],
    { journal, clocks }: { journal: string; clocks: ClockLink | null },
  ) {
    this.#clocks = clocks
    this.#lineSink = lineSink
    this.#workers = workers
    this.#instancesAsOne = new InstancesAsOne(plan)
    this.#silent = workers.map(() => 0)
    this.#journal = joinJournal(journal)
    this.#tail = new LineTail(journal)
  }

  /** Resolves when every worker has ended or is lost, and all lines were read. */
  get ended(): Promise<void> {
    return this.#ended
  }

  now(): Micros {
    return this.#clock.now()
  }

  stats(): LiveStats {
    return this.#instancesAsOne.stats()
  }

  /**
   * Why the others should stop: a run without one of its workers cannot be valid. Null while all
   * are running.
   */
  get lost(): string | null {
    return this.#lost
  }

  get abandoned(): Abandoned[] {
    return this.#instancesAsOne.abandoned()
  }

  /** Throws UserError when a worker is lost already; nothing has been sent then. */
  begin(): void {
    const missing = this.#workers.find(({ isGone }) => isGone)
    if (missing !== undefined) {
      const problem = `${missing.name} ended before the run began`
      throw new UserError({ source: '--workers', path: '', problem })
    }
    this.#clock.restart(LEAD_MICROS + LEAD_A_WORKER_MICROS * this.#workers.length)
    this.#clocks?.started(this.#clock)
    const { zero } = this.#clock
    for (const worker of this.#workers) {
      worker.begin(zero, (report) => this.#heard(worker.instance, report))
    }
    this.#timers.push(
      setInterval(() => this.#read(READS_AT_ONCE), READ_EVERY_MS),
      setInterval(() => this.#missPulses(), PULSE_EVERY_MS),
    )
    this.#ended = this.#watch()
  }

  close(): void {
    this.#journal.close()
    this.#tail.close()
  }

  /** Writes a line of the run itself, in addition to those of its workers. */
  tell(line: JournalLine): void {
    if (this.#journal.write(line)) this.#read(Infinity)
    else this.#see(line)
  }

  stop(how: 'drain' | 'now', reason?: string): void {
    if (how === 'now') this.#silentPulses = SILENT_PULSES_AT_END
    for (const worker of this.#workers) worker.stop(how, reason)
  }

  async #watch(): Promise<void> {
    await Promise.all(
      this.#workers.map(async (worker) => {
        const why = await worker.gone
        if (why !== null) this.#miss(worker, why)
      }),
    )
    for (const timer of this.#timers) clearTimeout(timer)
    this.#read(Infinity)
    if (this.#tail.cut !== '') this.#lineSink.unreadableLines++
  }

  #heard(instance: number, report: Report): void {
    this.#silent[instance] = 0
    switch (report.kind) {
      case 'pulse':
        this.#instancesAsOne.waiting(instance, report.queued)
        this.#lineSink.served('kickoff', report.kickoffs)
        this.#lineSink.served('status', report.polls)
        break
      case 'unwritten':
        // The worker's earlier lines are in the file.
        this.#read(Infinity)
        this.#see(report.line)
        this.#lineSink.unwritten(report.line, report.why)
        break
      case 'loaded':
      case 'opened':
      case 'mistaken':
      case 'ended':
        break
      default:
        unreachable(report)
    }
  }

  /** A worker that still sends pulses is never ended: giving up a million arrivals takes time. */
  #missPulses(): void {
    for (const worker of this.#workers) {
      const silent = (this.#silent[worker.instance] ?? 0) + 1
      this.#silent[worker.instance] = silent
      if (silent <= this.#silentPulses || worker.isGone) continue
      void worker.end(`it sent nothing for ${(silent * PULSE_EVERY_MS) / 1_000} s`)
    }
  }

  /** Reported in the journal, which also shows the missing `finished` line of that instance. */
  #miss({ name, instance }: RunWorker, why: string): void {
    const message = `${name}, a worker thread, was lost: ${why}`
    this.#lost ??= message
    const line: JournalLine = {
      type: 'finding',
      instance,
      atMicros: this.now(),
      index: null,
      finding: { kind: 'note', message },
    }
    this.tell(line)
  }

  #read(reads: number): void {
    for (let i = 0; i < reads; i++) {
      const lines = this.#tail.read()
      if (lines === null) return
      for (const text of lines) if (text !== '') this.#take(text)
    }
  }

  #take(text: string): void {
    const line = parsed(text)
    if (line === null) this.#lineSink.unreadableLines++
    else this.#see(line)
  }

  #see(line: JournalLine): void {
    this.#lineSink.see(line)
    this.#instancesAsOne.saw(line)
  }
}

/** Null for a line that a full disk has cut. */
function parsed(text: string): JournalLine | null {
  try {
    return JSON.parse(text) as JournalLine
  } catch {
    return null
  }
}
