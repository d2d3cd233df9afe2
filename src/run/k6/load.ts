/**
 * The k6 processes of a run as one load: read through their consoles, stopped through the control
 * server, and reported when one is lost.
 */
import { stopText } from '../../execution/record/reason.ts'
import type { StopReason } from '../../execution/record/reason.ts'
import type {
  IncidentLine,
  FinishedLine,
  JournalLine,
  RunLine,
} from '../../execution/record/journal-lines.ts'
import type { Plan } from '../../scenario/plan.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'
import type { Host } from '../../engine/host.ts'
import type { Load } from '../drive.ts'
import type { LineSink } from '../line-sink.ts'
import { writeFileSync } from 'node:fs'
import { lineFrom } from '../../journal/line.ts'
import { LineTail } from '../../journal/line-tail.ts'
import { Interrupted } from '../errors.ts'
import { lastArrivalMicros } from '../../scenario/arrivals/index.ts'
import type { LiveStats } from '../progress.ts'
import type { ControlServer } from './control-server.ts'
import type { K6Exit, K6Process } from './process.ts'
import { exitWords } from './process.ts'
import type { K6Words } from './words.ts'
import { withPlaces } from './words.ts'
import type { MeasuredOperation } from '../../crew/answer.ts'

/** A process to be started: `start` is called once, when the run begins. */
export interface Member {
  /** For example `k6`, or `k6 2 of 4`. */
  name: string
  consoleFile: string
  words: K6Words
  start: () => K6Process
}

interface RunningK6 {
  member: Member
  process: K6Process
  lines: LineTail
}

interface K6LoadOptions {
  plan: Plan
  lineSink: LineSink
  members: readonly Member[]
  /** VUs of all members together; each is an instance. */
  vus: number
  /** Whether k6 has outputs, which receive the last samples when everything has ended. */
  measures: boolean
  control: ControlServer
  clock: Pick<Host, 'unixMs'>
  /** Receives what the scenario and k6 print. */
  onNote: (note: string) => void
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
  lost: string | null = null
  /** The stop that came before anything had begun or failed; null when there was none. */
  calledOff: Interrupted | null = null
  readonly #options: K6LoadOptions
  readonly #lastArrivalMicros: Micros
  readonly #running: RunningK6[] = []
  readonly #finished = new Set<FinishedLine['instance']>()
  readonly #timers: NodeJS.Timeout[] = []
  #anchor: RunLine | null = null
  #leaving = false
  #foreign = 0
  readonly #accused = new Set<Member>()

  constructor(options: K6LoadOptions) {
    this.#options = options
    this.#lastArrivalMicros = lastArrivalMicros(options.plan.arrivals)
  }

  /** Time by the first instance's clock; zero until that instance has begun. */
  now(): Micros {
    if (this.#anchor === null) return 0
    return Math.floor((this.#options.clock.unixMs() - this.#anchor.anchorUnixMs) * MICROS_PER_MS)
  }

  stats(): LiveStats {
    return this.#options.lineSink.flights.stats(this.#lastArrivalMicros)
  }

  /** An instance has written its first line: a kickoff may have been sent. */
  get hasBegun(): boolean {
    return this.#anchor !== null
  }

  begin(): void {
    for (const member of this.#options.members) {
      // For k6 to append to.
      writeFileSync(member.consoleFile, '')
      const lines = new LineTail(member.consoleFile)
      this.#running.push({ member, lines, process: member.start() })
    }
    const withinMs = BEGIN_WITHIN_MS + BEGIN_WITHIN_MS_A_VU * this.#options.vus
    this.#timers.push(
      setInterval(() => this.#read(), READ_EVERY_MS),
      setTimeout(() => this.#giveUp(), withinMs),
    )
    this.ended = this.#watch()
  }

  stop(how: 'drain' | 'now', reason: StopReason): void {
    const { control, plan } = this.#options
    if (control.stop?.how === 'now') return
    control.give({ kind: 'stop', how, reason })
    if (!this.hasBegun && this.lost === null) this.calledOff ??= new Interrupted(stopText(reason))
    if (!this.hasBegun) return this.#leaveWithin(LEAVE_UNBEGUN_WITHIN_MS)
    const patienceMicros = plan.http.requestTimeoutMicros + (how === 'drain' ? plan.drainMicros : 0)
    this.#leaveWithin(Math.min(patienceMicros / MICROS_PER_MS + STOP_GRACE_MS, LONGEST_TIMER_MS))
  }

  /** Ends the processes that still run. */
  async close(): Promise<void> {
    this.#leaving = true
    await Promise.all(this.#running.map(async ({ process }) => process.end()))
    await this.ended
  }

  #giveUp(): void {
    if (!this.hasBegun) this.#miss('k6 was not ready to begin in time')
  }

  async #watch(): Promise<void> {
    await Promise.all(
      this.#running.map(async ({ member, process, lines }) => {
        const exit = await process.ended
        lines.finish((text) => this.#hear(text, member))
        this.#parted(member, exit)
      }),
    )
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #read(): void {
    for (const { member, process, lines } of this.#running) {
      if (process.isGone) continue
      lines.each((text) => this.#hear(text, member), READS_AT_ONCE)
      process.hear(READS_AT_ONCE)
      // Before the first line k6 itself is about to end, with an exit code that says more.
      if (member.words.threw && this.hasBegun) this.#accuse(member)
    }
  }

  /** One of our lines, whole or damaged, or what the author's functions print. */
  #hear(text: string, { words }: Member): void {
    if (text === '') return
    if (!text.startsWith('{"type":"')) return this.#print(text)
    const line = lineFrom(text)
    if (line === undefined) this.#options.lineSink.unreadableLines++
    else this.#take(withPlaces(line, words))
  }

  #take(line: JournalLine): void {
    if (line.type === 'run') this.#anchor ??= line
    if (line.type === 'ended') this.#meter(line.record.kickoff, 'kickoff')
    if (line.type === 'ended') this.#meter(line.record.polls, 'status')
    this.#keep(line.type === 'finished' ? this.#explained(line) : line)
    if (line.type !== 'finished') return
    this.#finished.add(line.instance)
    const { vus, measures } = this.#options
    const withinMs = measures ? LEAVE_WITH_OUTPUTS_WITHIN_MS : LEAVE_WITHIN_MS
    if (this.#finished.size === vus) this.#leaveWithin(withinMs)
  }

  /**
   * An instance with many VUs was stopped without knowing the reason; it is the reason given here.
   */
  #explained(line: FinishedLine): FinishedLine {
    const { stop } = this.#options.control
    if (line.stopped === null || line.stopReason !== null || stop === null) return line
    return { ...line, stopReason: stop.reason }
  }

  #keep(line: JournalLine): void {
    try {
      this.#options.lineSink.keep(line)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      this.#options.lineSink.see(this.#finding({ kind: 'journal-error', message }))
    }
  }

  #meter({ serviceMicros }: { serviceMicros: readonly number[] }, of: MeasuredOperation): void {
    for (const micros of serviceMicros)
      if (micros >= 0) this.#options.lineSink.meters.took(of, micros)
  }

  #print(text: string): void {
    if (++this.#foreign <= FOREIGN_SHOWN) this.#options.onNote(`the scenario prints: ${text}`)
  }

  #leaveWithin(ms: number): void {
    this.#timers.push(
      setTimeout(() => {
        this.#leaving = true
        for (const { process } of this.#running) void process.end()
      }, ms),
    )
  }

  /** Reported in the journal, which also shows the missing `finished` lines. */
  #parted(member: Member, exit: K6Exit): void {
    const { name, words } = member
    const how = this.#leaving && this.#finished.size === this.#options.vus ? null : exitWords(exit)
    const said = String(words)
    if (how !== null) this.#miss(`${name} ${how}${said === '' ? '' : `; it said: ${said}`}`)
    else if (
      said !== '' &&
      (this.#finished.size < this.#options.vus || this.#options.lineSink.flights.underWay > 0)
    )
      this.#accuse(member)
  }

  /**
   * Called once: a VU that threw is lost immediately, but its process ends only with the others.
   */
  #accuse(member: Member): void {
    if (this.#accused.has(member)) return
    this.#accused.add(member)
    this.#miss(`${member.name} said: ${String(member.words)}`)
  }

  #miss(what: string): void {
    this.lost ??= what
    this.#keep(this.#finding({ kind: 'note', note: { code: 'k6-ended', what } }))
  }

  #finding(finding: IncidentLine['finding']): IncidentLine {
    return { type: 'finding', instance: 0, atMicros: this.now(), index: null, finding }
  }
}
