/**
 * The k6 processes of a run as one load: read through their consoles, stopped through the control
 * server, and reported when one is lost.
 */
import { stopText } from '../../execution/record/stop-reason.ts'
import type { StopReason } from '../../execution/record/stop-reason.ts'
import type {
  FindingLine,
  FinishedLine,
  JournalLine,
  RunLine,
} from '../../execution/record/journal-lines.ts'
import type { Plan } from '../../scenario/plan.ts'
import { MICROS_PER_MS } from '../../base/units.ts'
import type { Micros } from '../../base/units.ts'
import type { Abandoned } from '../bodies/body.ts'
import type { Load } from '../drive.ts'
import type { LineSink } from '../line-sink.ts'
import { Interrupted } from '../errors.ts'
import { InstancesAsOne } from '../progress/instances.ts'
import type { LiveStats } from '../progress/live.ts'
import { ConsoleLines } from './console-lines.ts'
import type { ControlServer } from './control-server.ts'
import { exitWords } from './exit.ts'
import type { K6Exit } from './exit.ts'
import { Beginning } from './instances/beginning.ts'
import type { Barrier } from './instances/instances.ts'
import type { K6Process } from './process.ts'
import { withPlaces } from './bundle/line-places.ts'
import { ParentWatch } from './instances/parent-watch.ts'
import type { K6Words } from './words.ts'

/** A process to be started: `start` is called once, when the run begins. */
export interface Member {
  /** For example `k6`, or `k6 2 of 4`. */
  name: string
  consoleFile: string
  words: K6Words
  start: () => K6Process
}

export interface K6LoadOptions {
  plan: Plan
  lineSink: LineSink
  members: readonly Member[]
  /** VUs of all members together; each is an instance. */
  vus: number
  /** Whether k6 has outputs, which receive the last samples when everything has ended. */
  measures: boolean
  control: ControlServer
  /** Releases members that were started paused; null when they begin by themselves. */
  barrier: Barrier | null
  /** Receives what the scenario and k6 print. */
  onNote: (note: string) => void
}

const READ_EVERY_MS = 100
/** Megabytes of each file read at once; signals are handled in between. */
const READS_AT_ONCE = 4
/** From the first line of the first instance: an instance that begins later is not waited for. */
const BEGIN_WITHIN_MS = 2_000
/** From the last line of the last instance: requests that were given up may keep k6 from ending. */
const LEAVE_WITHIN_MS = 3_000
/** The same when outputs may have to send their last samples to a server. */
const LEAVE_WITH_OUTPUTS_WITHIN_MS = 30_000
/** Added to the time that a stop leaves to k6. */
const STOP_GRACE_MS = 10_000
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** The number of the author's own console lines that are shown. */
const FOREIGN_SHOWN = 20

export class K6Load implements Load {
  readonly #options: K6LoadOptions
  readonly #instancesAsOne: InstancesAsOne
  readonly #running: { member: Member; process: K6Process; lines: ConsoleLines }[] = []
  readonly #finished = new Set<FinishedLine['instance']>()
  readonly #timers: NodeJS.Timeout[] = []
  #ended = Promise.resolve()
  #anchor: RunLine | null = null
  #leaving = false
  #isHeard = false
  #foreign = 0
  /** Aborted when the processes are released, or when waiting for that has become pointless. */
  readonly #held = new AbortController()
  #parentWatch: ParentWatch | null = null
  readonly #beginning: Beginning
  readonly #accused = new Set<Member>()
  #lost: string | null = null
  #calledOff: Interrupted | null = null

  constructor(options: K6LoadOptions) {
    this.#options = options
    this.#instancesAsOne = new InstancesAsOne(options.plan)
    this.#beginning = new Beginning(options.vus, (line) => this.#take(line))
  }

  /** Resolves when every process has ended and all lines were read. */
  get ended(): Promise<void> {
    return this.#ended
  }

  /** Time by the first instance's clock; zero until that instance has begun. */
  now(): Micros {
    if (this.#anchor === null) return 0
    return Math.floor((Date.now() - this.#anchor.anchorUnixMs) * MICROS_PER_MS)
  }

  stats(): LiveStats {
    return this.#instancesAsOne.stats()
  }

  get abandoned(): Abandoned[] {
    return this.#instancesAsOne.abandoned()
  }

  /** An instance has written its first line: a kickoff may have been sent. */
  get hasBegun(): boolean {
    return this.#anchor !== null
  }

  /** What happened to a process that ended too early; null when none did. */
  get lost(): string | null {
    return this.#lost
  }

  /** The stop that came before anything had begun or failed; null when there was none. */
  get calledOff(): Interrupted | null {
    return this.#calledOff
  }

  begin(): void {
    if (this.#options.barrier !== null) this.#parentWatch = new ParentWatch()
    for (const member of this.#options.members) {
      const lines = new ConsoleLines(member.consoleFile, {
        line: (line) => this.#hear(withPlaces(line, member.words)),
        damaged: () => this.#options.lineSink.unreadableLines++,
        foreign: (text) => this.#print(text),
      })
      const process = member.start()
      this.#parentWatch?.hold(process.pid)
      this.#running.push({ member, lines, process })
    }
    this.#timers.push(setInterval(() => this.#read(), READ_EVERY_MS))
    this.#ended = this.#watch()
    if (this.#options.barrier !== null) void this.#release(this.#options.barrier)
  }

  stop(how: 'drain' | 'now', reason: StopReason): void {
    const { control, plan } = this.#options
    if (control.order.stop === 'now') return
    control.give({ stop: how, reason })
    if (!this.hasBegun && this.#lost === null) this.#calledOff ??= new Interrupted(stopText(reason))
    this.#held.abort()
    const patienceMicros = plan.http.requestTimeoutMicros + (how === 'drain' ? plan.drainMicros : 0)
    this.#leaveWithin(Math.min(patienceMicros / MICROS_PER_MS + STOP_GRACE_MS, LONGEST_TIMER_MS))
  }

  /** Ends the processes that still run. */
  async close(): Promise<void> {
    this.#leaving = true
    await Promise.all(this.#running.map(async ({ process }) => process.end()))
    await this.#ended
  }

  /**
   * A process that cannot be released is missing from the start: then the others are not released
   * either. After a stop no process is released.
   */
  async #release(barrier: Barrier): Promise<void> {
    const { members, onNote } = this.#options
    try {
      await barrier.ready(this.#held.signal)
      this.#held.signal.throwIfAborted()
      const { withinMs } = await barrier.release()
      onNote(`${members.length} k6 processes were released within ${withinMs.toFixed(1)} ms`)
    } catch (error) {
      if (!this.#held.signal.aborted)
        this.#miss(error instanceof Error ? error.message : String(error))
      this.#leaveWithin(0)
    } finally {
      this.#parentWatch?.letGo()
    }
  }

  async #watch(): Promise<void> {
    await Promise.all(
      this.#running.map(async ({ member, process, lines }) => {
        const exit = await process.ended
        lines.finish()
        this.#held.abort()
        this.#beginning.open()
        this.#parted(member, exit)
      }),
    )
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #read(): void {
    for (const { member, process, lines } of this.#running) {
      if (process.isGone) continue
      lines.read(READS_AT_ONCE)
      process.hear(READS_AT_ONCE)
      // Before the first line k6 itself is about to end, with an exit code that says more.
      if (member.words.threw && this.hasBegun) this.#accuse(member)
    }
  }

  #hear(line: JournalLine): void {
    if (!this.#isHeard) this.#timers.push(setTimeout(() => this.#beginning.open(), BEGIN_WITHIN_MS))
    this.#isHeard = true
    this.#beginning.take(line)
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
    const { order } = this.#options.control
    if (line.stopped === null || line.stopReason !== null || order.stop === null) return line
    return { ...line, stopReason: order.reason }
  }

  #keep(line: JournalLine): void {
    this.#instancesAsOne.saw(line)
    try {
      this.#options.lineSink.keep(line)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      this.#options.lineSink.see(this.#finding({ kind: 'journal-error', message }))
    }
  }

  #meter({ serviceMicros }: { serviceMicros: readonly number[] }, of: 'kickoff' | 'status'): void {
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
      (this.#finished.size < this.#options.vus || this.#instancesAsOne.underWay > 0)
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
    this.#lost ??= what
    this.#keep(this.#finding({ kind: 'note', note: { code: 'k6-ended', what } }))
  }

  #finding(finding: FindingLine['finding']): FindingLine {
    return { type: 'finding', instance: 0, atMicros: this.now(), index: null, finding }
  }
}
