/**
 * The k6 processes of a run as one load: read through their consoles, stopped through the control
 * server, and reported when one is lost.
 */
import { stopReasonText } from '../../result/sentences/end-reasons.ts'
import type { K6End, ProcessExit, StopReason } from '../../execution/record/reason.schema.ts'
import type { IncidentLine, JournalLine, RunLine } from '../../execution/record/journal-lines.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'
import type { Load } from '../drive.ts'
import { lineFrom } from '../../journal/line.ts'
import { Interrupted } from '../errors.ts'
import { lastArrivalMicros } from '../../scenario/arrivals/index.ts'
import type { LiveStats } from '../progress.ts'
import type { K6Engine } from '../options.ts'
import type { Measuring } from '../bodies/sending.ts'
import type { ControlServer } from './control-server.ts'
import { vusOf } from './demands.ts'
import type { K6Start } from './process.ts'
import { K6Process } from './process.ts'
import type { K6Output } from './output.ts'
import { withPlaces } from './output.ts'
import { messageOf } from '../../base/text.ts'

/** A run whose VUs can be controlled. */
export interface K6Run extends Measuring {
  engine: K6Engine
  control: ControlServer
}

const READ_EVERY_MS = 100
/** Megabytes of each file read at once; signals are handled in between. */
const READS_AT_ONCE = 4
/** The longest that k6 may take to start, and to read a script of several MB; a VU adds to it. */
const BEGIN_WITHIN_MS = 60_000
const BEGIN_WITHIN_MS_A_VU = 20
/** From the last line of the last instance: requests that were given up may keep k6 from ending. */
const LEAVE_WITHIN_MS = 3_000
/** From a stop before the first line: k6 ends by itself if it listens already. */
const LEAVE_UNBEGUN_WITHIN_MS = 1_000
/** The same when outputs may have to send their last samples to a server. */
const LEAVE_WITH_OUTPUTS_WITHIN_MS = 30_000
/** Added to the time that a stop leaves to k6. */
const STOP_GRACE_MS = 10_000
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** The number of the author's own console lines that are shown. */
const FOREIGN_SHOWN = 20

export class K6Load implements Load {
  /** Resolves when every process has ended and all lines were read. */
  ended = Promise.resolve()
  /** What happened to a process that ended too early; null when none did. */
  lost: K6End | null = null
  /** The stop that came before anything had begun or failed; null when there was none. */
  calledOff: Interrupted | null = null
  readonly #run: K6Run
  readonly #starts: readonly K6Start[]
  readonly #lastArrivalMicros: Micros
  readonly #running: K6Process[] = []
  readonly #finished = new Set<number>()
  readonly #timers: NodeJS.Timeout[] = []
  #anchor: RunLine | null = null
  #stopped: 'drain' | 'now' | null = null
  #leaving = false
  #foreign = 0
  readonly #accused = new Set<K6Process>()

  constructor(run: K6Run, starts: readonly K6Start[]) {
    this.#run = run
    this.#starts = starts
    this.#lastArrivalMicros = lastArrivalMicros(run.plan.arrivals)
  }

  /** Time by the first instance's clock; zero until that instance has begun. */
  now(): Micros {
    if (this.#anchor === null) return 0
    return Math.floor((this.#run.host.unixMs() - this.#anchor.anchorUnixMs) * MICROS_PER_MS)
  }

  stats(): LiveStats {
    return this.#run.lineSink.flights.stats(this.#lastArrivalMicros)
  }

  /** An instance has written its first line: a kickoff may have been sent. */
  get hasBegun(): boolean {
    return this.#anchor !== null
  }

  begin(): void {
    for (const start of this.#starts) {
      this.#running.push(new K6Process(start, (text) => this.#hear(text, start.words)))
    }
    const withinMs = BEGIN_WITHIN_MS + BEGIN_WITHIN_MS_A_VU * vusOf(this.#run.engine)
    const giveUp = (): void => {
      if (!this.hasBegun) this.#miss({ process: 'k6', exit: null, why: '' })
    }
    this.#timers.push(
      setInterval(() => this.#read(), READ_EVERY_MS),
      setTimeout(giveUp, withinMs),
    )
    const parted = this.#running.map(async (process) => this.#parted(process, await process.ended))
    this.ended = Promise.all(parted).then(() => {
      for (const timer of this.#timers) clearTimeout(timer)
    })
  }

  stop(how: 'drain' | 'now', reason: StopReason): void {
    const { control, plan } = this.#run
    if (this.#stopped === 'now') return
    this.#stopped = how
    control.give({ kind: 'stop', how, reason })
    if (!this.hasBegun) {
      if (this.lost === null) this.calledOff ??= new Interrupted(stopReasonText(reason))
      return this.#leaveWithin(LEAVE_UNBEGUN_WITHIN_MS)
    }
    const patienceMicros = plan.http.requestTimeoutMicros + (how === 'drain' ? plan.drainMicros : 0)
    this.#leaveWithin(Math.min(patienceMicros / MICROS_PER_MS + STOP_GRACE_MS, LONGEST_TIMER_MS))
  }

  /** Ends the processes that still run. */
  async close(): Promise<void> {
    this.#leaving = true
    await Promise.all(this.#running.map(async (process) => process.end()))
    await this.ended
  }

  #read(): void {
    for (const process of this.#running) {
      if (process.isGone) continue
      process.read(READS_AT_ONCE)
      // Before the first line k6 itself is about to end, with an exit code that says more.
      if (process.start.words.threw && this.hasBegun) this.#accuse(process)
    }
  }

  /** One of our lines, whole or damaged, or what the author's functions print. */
  #hear(text: string, words: K6Output): void {
    if (text === '') return
    if (!text.startsWith('{"type":"')) {
      if (this.#foreign++ < FOREIGN_SHOWN)
        this.#run.options.onNote?.(`the scenario prints: ${text}`)
      return
    }
    const line = lineFrom(text)
    if (line === undefined) this.#run.lineSink.unreadableLines++
    else this.#take(withPlaces(line, words))
  }

  #take(line: JournalLine): void {
    if (line.type === 'run') this.#anchor ??= line
    this.#run.lineSink.meters.sawRequests(line)
    this.#keep(line)
    if (line.type !== 'finished') return
    this.#finished.add(line.instance)
    const hasOutputs = this.#run.engine.out?.length
    const withinMs = hasOutputs ? LEAVE_WITH_OUTPUTS_WITHIN_MS : LEAVE_WITHIN_MS
    if (this.#haveAllFinished) this.#leaveWithin(withinMs)
  }

  #keep(line: JournalLine): void {
    try {
      this.#run.lineSink.keep(line)
    } catch (error) {
      this.#run.lineSink.see(this.#incident({ kind: 'journal-error', message: messageOf(error) }))
    }
  }

  #leaveWithin(ms: number): void {
    this.#timers.push(
      setTimeout(() => {
        this.#leaving = true
        for (const process of this.#running) void process.end()
      }, ms),
    )
  }

  get #haveAllFinished(): boolean {
    return this.#finished.size === vusOf(this.#run.engine)
  }

  /** Reported in the journal, which also shows the missing `finished` lines. */
  #parted(process: K6Process, exit: ProcessExit): void {
    const isDone = this.#haveAllFinished
    const hasFailed = exit.signal !== null || exit.code !== 0
    if (hasFailed && !(this.#leaving && isDone)) this.#miss(endOf(process, exit))
    else if (
      String(process.start.words) !== '' &&
      (!isDone || this.#run.lineSink.flights.underWay > 0)
    ) {
      this.#accuse(process)
    }
  }

  /**
   * Called once: a VU that threw is lost immediately, but its process ends only with the others.
   */
  #accuse(process: K6Process): void {
    if (this.#accused.has(process)) return
    this.#accused.add(process)
    this.#miss(endOf(process, null))
  }

  #miss(end: K6End): void {
    this.lost ??= end
    this.#keep(this.#incident({ kind: 'note', note: { code: 'k6-ended', ...end } }))
  }

  #incident(incident: IncidentLine['incident']): IncidentLine {
    return { type: 'incident', instance: 0, atMicros: this.now(), index: null, incident }
  }
}

/** `exit`: null for one that still runs. */
function endOf({ start: { command, words } }: K6Process, exit: ProcessExit | null): K6End {
  return { process: command.name, exit, why: String(words) }
}
