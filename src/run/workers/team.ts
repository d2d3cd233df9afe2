/**
 * The worker threads of a run as one load: begun together, heard through the journal that they
 * write, and missed when one is gone.
 */
import { unreachable } from '../../base/assert.ts'
import type { JournalLine } from '../../execution/record/journal-lines.ts'
import { RunClock } from '../../host/node/clock.ts'
import { UserError } from '../../base/mistakes.ts'
import type { Journal } from '../../journal/journal.ts'
import { joinJournal } from '../../journal/journal.ts'
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
 * Orders reach the threads in turn, and each writes its first line: the clock's zero lies behind
 * that, so that the first arrivals are in time.
 */
const LEAD_MICROS = 50 * MICROS_PER_MS
const LEAD_A_WORKER_MICROS = 5 * MICROS_PER_MS

const READ_EVERY_MS = 100
/** Megabytes of journal read in one go: a signal is heard in between. */
const READS_AT_ONCE = 4

/**
 * Pulses that a worker may miss before it is taken to hang in the author's code: a minute of them,
 * ten seconds once all shall end now.
 */
const SILENT_PULSES = 60_000 / PULSE_EVERY_MS
const SILENT_PULSES_AT_END = 10_000 / PULSE_EVERY_MS

export class Team implements Load {
  /** All workers count from its zero. */
  readonly #clock = new RunClock()
  readonly #clocks: ClockLink | null
  readonly #lineSink: LineSink
  readonly #workers: readonly RunWorker[]
  readonly #instancesAsOne: InstancesAsOne
  readonly #tail: LineTail
  /** For what no worker can write any more. */
  readonly #journal: Journal
  /** Pulse times without a pulse, by instance. */
  readonly #silent: number[]
  readonly #timers: NodeJS.Timeout[] = []
  #silentPulses = SILENT_PULSES
  #ended = Promise.resolve()
  #lost: string | null = null

  /**
   * `journal` is a file that all workers have joined; throws what opening it throws. `clocks` is
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

  /** Resolves when every worker has ended or is gone, and all lines were read. */
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
   * are there.
   */
  get lost(): string | null {
    return this.#lost
  }

  get abandoned(): Abandoned[] {
    return this.#instancesAsOne.abandoned()
  }

  /** Throws UserError when one is gone already: nothing was sent yet. */
  begin(): void {
    const missing = this.#workers.find(({ isGone }) => isGone)
    if (missing !== undefined) {
      const problem = `${missing.name} was gone before the run began`
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

  /** A line of the run's own, beside those of its workers. */
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
        for (const micros of report.kickoffMicros) this.#lineSink.meters.took('kickoff', micros)
        for (const micros of report.statusMicros) this.#lineSink.meters.took('status', micros)
        break
      case 'unwritten':
        // Its earlier lines stand in the file.
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

  /**
   * A worker that is heard is never ended: a million arrivals to be written off take their time.
   */
  #missPulses(): void {
    for (const worker of this.#workers) {
      const silent = (this.#silent[worker.instance] ?? 0) + 1
      this.#silent[worker.instance] = silent
      if (silent <= this.#silentPulses || worker.isGone) continue
      void worker.end(`nothing was heard of it for ${(silent * PULSE_EVERY_MS) / 1_000} s`)
    }
  }

  /** Told in the journal, where the missing `finished` line of that instance shows too. */
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
