/** What is left to do of a cut run, according to the lines of its journal, in their order. */
import { unreachable } from '../base/assert.ts'
import type {
  AcceptedLine,
  IncidentLine,
  FinishedLine,
  JournalLine,
  ResumedLine,
  RunLine,
} from '../execution/record/journal-lines.ts'
import type { DueArrival } from '../execution/machine.ts'
import type { LeftBehind } from '../execution/pick-up.ts'
import type { ExecutionRecord } from '../execution/record/record.ts'
import { requestsIn } from '../execution/record/request.ts'
import type { Micros } from '../base/units.ts'
import type { Damage } from './reader.ts'
import { readJournal } from './reader.ts'

/** What is left of one instance; times are on its own clock. */
export interface UnfinishedInstance {
  run: RunLine
  /** Its first line was read. */
  begun: boolean
  /** Its last line was read: it was not cut, though it may have aborted executions. */
  finished: boolean
  /**
   * Executions by index that were in flight, were aborted while still running on the target, waited
   * for a person at their deadline, or were started without an answer.
   */
  left: readonly LeftBehind[]
  /** How many of them waited for a person, in a crew of which the scenario says that it asks. */
  waiting: number
  /** Arrivals that have their final end: those of `left` are not among them. */
  ended: number
  /** The last time in its lines. */
  lastMicros: Micros
  /** The most requests that it may have sent, with a budget of requests; otherwise 0. */
  requestsReserved: number
  /**
   * The longest that it may have worked: all its processes together, without the breaks between
   * them.
   */
  workedMicros: Micros
  /**
   * Lines that its former processes could not write, according to the last of them; 0 if none said
   * so.
   */
  journalErrors: number
}

interface SeenLines {
  run: RunLine | null
  finished: boolean
  ended: number
  lastMicros: Micros
  requestsReserved: number
  /** The process that wrote last did not work after this, nor after `lastMicros`. */
  untilMicros: Micros
  /** Time between processes. */
  restedMicros: Micros
  journalErrors: number
}

const NOTHING_SPENT = {
  lastMicros: 0,
  requestsReserved: 0,
  untilMicros: 0,
  restedMicros: 0,
  journalErrors: 0,
}

/** Some hundred bytes per execution in flight, some ten bytes for every other one. */
export class UnfinishedRun {
  /** Arrivals that have started, or ended without starting. */
  readonly begun = new Set<number>()
  readonly #instances = new Map<number, SeenLines>()
  readonly #left = new Map<number, LeftBehind>()
  /** Those of `#left` that ended as `paused`. */
  readonly #waiting = new Set<number>()
  /** Executions that have their final end so far. */
  readonly #ended = new Set<number>()

  /** The first line that could not be read; null for none. */
  damage: Damage | null = null

  saw(line: JournalLine): void {
    switch (line.type) {
      case 'run':
        this.#of(line.instance).run ??= line
        break
      case 'started':
        this.#seen(line.instance, line.atMicros)
        this.#started(line.index, {
          arrival: this.#arrival(line),
          startedMicros: line.atMicros,
          accepted: null,
        })
        break
      case 'accepted':
        this.#seen(line.instance, line.atMicros)
        this.#accepted(line)
        break
      case 'ended':
        this.#seen(line.record.instance, line.record.endedMicros)
        this.#end(line.record)
        break
      case 'resumed':
        this.#resumed(line)
        break
      case 'incident':
        this.#found(line)
        break
      case 'finished':
        this.#finished(line)
        break
      case 'push':
        break
      default:
        unreachable(line)
    }
  }

  /** One for each instance, but for those whose first line was lost. */
  get instances(): UnfinishedInstance[] {
    const left = [...this.#left.values()].sort((a, b) => a.arrival.index - b.arrival.index)
    const found: UnfinishedInstance[] = []
    for (const [instance, { run, untilMicros, restedMicros, ...seen }] of this.#instances) {
      if (run === null) continue
      const workedMicros = Math.max(seen.lastMicros, untilMicros) - restedMicros
      const own = left.filter(({ arrival }) => arrival.instance === instance)
      const waiting = own.filter(({ arrival }) => this.#waiting.has(arrival.index)).length
      found.push({ run, begun: true, left: own, waiting, ...seen, workedMicros })
    }
    return found.sort((a, b) => a.run.instance - b.run.instance)
  }

  /** Executions whose instance lost its first line: nobody knows where they run. */
  get orphans(): LeftBehind[] {
    const isOrphan = ({ arrival }: LeftBehind): boolean => this.#of(arrival.instance).run === null
    return [...this.#left.values()].filter(isOrphan)
  }

  #finished({ instance, atMicros, host }: FinishedLine): void {
    const seen = this.#seen(instance, atMicros)
    seen.finished = true
    seen.untilMicros = atMicros
    seen.journalErrors = host.journalErrors
  }

  #resumed({ instance, atMicros }: ResumedLine): void {
    const seen = this.#of(instance)
    seen.restedMicros += Math.max(0, atMicros - Math.max(seen.lastMicros, seen.untilMicros))
    seen.finished = false
    this.#seen(instance, atMicros)
  }

  #found({ instance, atMicros, incident }: IncidentLine): void {
    const seen = this.#seen(instance, atMicros)
    if (incident.kind === 'requests-reserved') {
      seen.requestsReserved = Math.max(seen.requestsReserved, incident.total)
    }
    if (incident.kind === 'time-reserved') seen.untilMicros = incident.untilMicros
  }

  #started(index: number, left: LeftBehind): void {
    this.begun.add(index)
    if (!this.#ended.has(index)) this.#left.set(index, left)
  }

  /**
   * Its `started` line may be missing if the disk was full for a while: it was paid for, so it is
   * continued all the same.
   */
  #accepted(line: AcceptedLine): void {
    const { index, instance, kickoffId, atMicros, kickoff } = line
    this.begun.add(index)
    if (this.#ended.has(index)) return
    const accepted = { kickoffId, atMicros, kickoff }
    const left = this.#left.get(index)
    if (left !== undefined) {
      this.#left.set(index, { ...left, accepted })
      return
    }
    const { intendedMicros, startedMicros } = timesBefore(line)
    const arrival = this.#arrival({ index, instance, intendedMicros })
    this.#left.set(index, { arrival, startedMicros, accepted })
  }

  /** Executions that were aborted while running, or wait for people, can still be continued. */
  #end(record: ExecutionRecord): void {
    const { index, instance, intendedMicros, warmUp } = record
    const { kickoffId, acceptedMicros, sentMicros, kickoff } = record
    this.begun.add(index)
    const isWaiting = record.outcome === 'paused' && asksPeople(this.#of(instance).run)
    if (isWaiting) this.#waiting.add(index)
    else this.#waiting.delete(index)
    const goesOn = isWaiting || record.outcome === 'aborted'
    if (goesOn && kickoffId !== null && acceptedMicros !== null) {
      const task = record.changes.findLast((change) => change.task !== null)?.task ?? null
      this.#left.set(index, {
        arrival: { index, instance, intendedMicros, warmUp },
        startedMicros: sentMicros ?? acceptedMicros,
        accepted: {
          kickoffId,
          atMicros: acceptedMicros,
          kickoff,
          ...(task === null ? {} : { task }),
        },
      })
      return
    }
    this.#left.delete(index)
    if (this.#ended.has(index)) return
    this.#ended.add(index)
    this.#of(instance).ended++
  }

  /** The warm-up follows from the plan: the arrivals intended within it. */
  #arrival({ index, instance, intendedMicros }: Omit<DueArrival, 'warmUp'>): DueArrival {
    const warmUpMicros = warmUpOf(this.#of(instance).run)
    return { index, instance, intendedMicros, warmUp: intendedMicros < warmUpMicros }
  }

  #seen(instance: number, atMicros: Micros): SeenLines {
    const seen = this.#of(instance)
    seen.lastMicros = Math.max(seen.lastMicros, atMicros)
    return seen
  }

  #of(instance: number): SeenLines {
    const known = this.#instances.get(instance)
    if (known !== undefined) return known
    const seen = { run: null, finished: false, ended: 0, ...NOTHING_SPENT }
    this.#instances.set(instance, seen)
    return seen
  }
}

/**
 * When it was intended and first sent, according to its columns: computed backwards from the
 * answer, and therefore late by the time it took to process that.
 */
function timesBefore({ atMicros, kickoff }: AcceptedLine): {
  intendedMicros: Micros
  startedMicros: Micros
} {
  const requests = requestsIn(kickoff, 0)
  const intendedMicros = Math.max(0, atMicros - (requests.at(-1)?.doneMicros ?? 0))
  return { intendedMicros, startedMicros: intendedMicros + (requests[0]?.lateMicros ?? 0) }
}

function asksPeople(run: RunLine | null): boolean {
  return run?.plan.human === true
}

function warmUpOf(run: RunLine | null): Micros {
  return run?.plan.warmUpMicros ?? 0
}

/** Reads a whole file, of a mix the lines of `part`. Rejects as reading does. */
export async function readUnfinished(path: string, part?: string): Promise<UnfinishedRun> {
  const remains = new UnfinishedRun()
  const reader = readJournal(path, 'journal', part)
  for await (const line of reader) remains.saw(line)
  remains.damage = reader.damage
  return remains
}
