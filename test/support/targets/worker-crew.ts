/**
 * Simulates a crew of workers behind a queue, event by event, as a search for its capacity observes
 * it.
 */
import type { Random } from '../../../src/base/random.ts'
import type { AppliedLoad, LoadSeen, Seen } from '../../../src/study/capacity/analyse/seen.ts'

/** How the crew behaves in one run; times are in microseconds since the start of the run. */
export interface WorkerCrew {
  slots: number
  /** The number of workers at a time, at most `slots`. Default: always all. */
  slotsAt?: (now: number) => number
  /** Workers whose number follows the load. Default: it does not. */
  staff?: Staff
  /** The number of executions that may wait. Default: no limit. */
  queueLimit?: number
  /** Whether the latest arrival is served first. Default: the earliest is. */
  lastComeFirst?: boolean
  /** Returns the work of an execution when a worker takes it. */
  work(taken: Taken): Work
  /**
   * Returns the status with which a kickoff is refused before it is queued, or null. Default: none
   * is refused.
   */
  refusal?: (now: number) => number | null
  /**
   * Executions of other clients, which arrive at random and are not in `executionsOf`. Default:
   * none.
   */
  neighbours?: { perHour: number; micros: () => number }
  /** A hidden step before the workers, with a queue of its own. Default: none. */
  pool?: { slots: number; micros: () => number }
  /**
   * The time from an end until the client of a closed load begins its next execution. Default 0.
   */
  clientLateMicros?: number
}

export interface Staff {
  readonly workers: number
  /** When the number changes if the load does not; Infinity for never. */
  readonly nextMicros: number
  /** Changes it, at that time. */
  change(): void
  /** Called after each change of the load. */
  sees(load: { waiting: number; busy: number }, nowMicros: number): void
}

interface Taken {
  now: number
  /** The position among all kickoffs of the run. */
  place: number
  /** The number of executions that are running, this one included. */
  busy: number
  waiting: number
}

interface Work {
  serviceMicros: number
  /** The time from when a worker takes the execution until it begins. Default 0. */
  delayMicros?: number
  /** Whether the execution fails. Default false. */
  fails?: boolean
}

const HOUR = 3_600_000_000
/** The time after which a refused client kicks off again. */
const PAUSE = 1_000_000
/**
 * The first arrival of a neighbour, in service times of neighbours: they begin long before the run.
 */
const LONG_BEFORE = -20

/** A queue of events of one kind, in order of time. */
class Due<T> {
  readonly #all: { at: number; what: T }[] = []

  get next(): number {
    return this.#all[0]?.at ?? Infinity
  }

  add(at: number, what: T): void {
    let place = this.#all.length
    while (place > 0 && (this.#all[place - 1]?.at ?? 0) > at) place--
    this.#all.splice(place, 0, { at, what })
  }

  take(): T {
    return this.#all.shift()!.what
  }

  get size(): number {
    return this.#all.length
  }
}

/** Carries out one run of a crew that is empty at the start; `random` draws its arrivals. */
export function executionsOf(crew: WorkerCrew, load: AppliedLoad, random: Random): Seen[] {
  return runOf(crew, load, random).executions
}

interface WorkerRun {
  executions: Seen[]
  /** The executions of neighbours, as a ledger reports them. */
  others: LoadSeen['others'] & {}
}

/** The same, together with the executions of neighbours. */
export function runOf(crew: WorkerCrew, load: AppliedLoad, random: Random): WorkerRun {
  return new Run(crew, load, random).result()
}

class Run {
  readonly #crew: WorkerCrew
  readonly #load: AppliedLoad
  readonly #arrivals = new Due<'ours' | 'theirs'>()
  readonly #random: Random
  readonly #theirs = new Set<number>()
  readonly #ends = new Due<number>()
  readonly #pooled = new Due<number>()
  readonly #inPool: number[] = []
  readonly #waiting: number[] = []
  readonly #seen: Seen[] = []
  #begun: number

  constructor(crew: WorkerCrew, load: AppliedLoad, random: Random) {
    this.#crew = crew
    this.#load = load
    this.#random = random.fork('neighbours')
    const times = firstArrivals(load, random)
    for (const at of times) this.#arrivals.add(at, 'ours')
    // The neighbours began long before the run.
    if (crew.neighbours !== undefined)
      this.#arrivals.add(LONG_BEFORE * crew.neighbours.micros(), 'theirs')
    this.#begun = times.length
  }

  result(): WorkerRun {
    while (this.#step()) {
      // Steps until none of our executions is still to come or to end.
    }
    const ours = this.#seen.filter((_, place) => !this.#theirs.has(place))
    const until = Math.max(...ours.map(({ intended, ended }) => ended ?? intended))
    const theirs = this.#seen.filter((each, place) => this.#theirs.has(place) && each.intended >= 0)
    const busyMicros = theirs.reduce(
      (sum, { started, ended }) =>
        sum + Math.min(until, ended ?? until) - Math.min(until, started ?? until),
      0,
    )
    return {
      executions: ours,
      others: { executions: theirs.length, busyMicros, spanMicros: until },
    }
  }

  #step(): boolean {
    const [arrival, end, pooled] = [this.#arrivals.next, this.#ends.next, this.#pooled.next]
    const now = Math.min(arrival, end, pooled)
    if (now === Infinity) return false
    const { staff } = this.#crew
    if (staff !== undefined && staff.nextMicros <= now) {
      const at = staff.nextMicros
      staff.change()
      this.#serve(at)
      staff.sees({ waiting: this.#waiting.length, busy: this.#ends.size }, at)
      return true
    }
    if (now === end) this.#end(now)
    else if (now === pooled) this.#leavePool(now)
    else if (this.#arrivals.take() === 'ours') this.#arrive(now)
    else this.#neighbour(now)
    staff?.sees({ waiting: this.#waiting.length, busy: this.#ends.size }, now)
    return true
  }

  #neighbour(now: number): void {
    const { perHour } = this.#crew.neighbours!
    const isOver = now > 0 && !this.#isWanted
    if (isOver) return
    this.#arrivals.add(now + (this.#random.exponential() * HOUR) / perHour, 'theirs')
    const place = this.#seen.push(admitted(now)) - 1
    this.#theirs.add(place)
    this.#queue(place, now)
  }

  /** Whether some of our executions have not come, or not ended. */
  get #isWanted(): boolean {
    const { executions } = this.#load
    const ours = this.#seen.filter((_, place) => !this.#theirs.has(place))
    return ours.length < executions || ours.some(({ ended }) => ended === null)
  }

  #arrive(now: number): void {
    const { queueLimit = Infinity, refusal, pool } = this.#crew
    const status = refusal?.(now) ?? null
    if (status !== null) return this.#refuse(now, status)
    const isFull = this.#isFull(now)
    if (isFull && this.#waiting.length >= queueLimit) return this.#refuse(now, 503)
    const place = this.#seen.push(admitted(now)) - 1
    if (pool === undefined) this.#queue(place, now)
    else if (this.#pooled.size >= pool.slots) this.#inPool.push(place)
    else this.#pooled.add(now + pool.micros(), place)
  }

  #leavePool(now: number): void {
    const place = this.#pooled.take()
    const next = this.#inPool.shift()
    if (next !== undefined) this.#pooled.add(now + this.#crew.pool!.micros(), next)
    this.#queue(place, now)
  }

  #queue(place: number, now: number): void {
    if (this.#isFull(now)) this.#waiting.push(place)
    else this.#begin(place, now)
  }

  #isFull(now: number): boolean {
    const { slots, slotsAt, staff } = this.#crew
    return this.#ends.size >= (staff?.workers ?? slotsAt?.(now) ?? slots)
  }

  #begin(place: number, now: number): void {
    const busy = this.#ends.size + 1
    const taken = { now, place, busy, waiting: this.#waiting.length }
    const {
      serviceMicros,
      delayMicros = 0,
      fails = false,
    } = this.#theirs.has(place)
      ? { serviceMicros: this.#crew.neighbours!.micros() }
      : this.#crew.work(taken)
    const started = now + delayMicros
    const ended = started + Math.max(1, serviceMicros)
    const outcome = fails ? 'failed' : 'completed'
    Object.assign(this.#seen[place]!, { started, ended, known: ended, outcome })
    this.#ends.add(ended, place)
  }

  #end(now: number): void {
    const isTheirs = this.#theirs.has(this.#ends.take())
    this.#serve(now)
    if (!isTheirs) this.#comeBack(now + (this.#crew.clientLateMicros ?? 0))
  }

  #serve(now: number): void {
    const isLast = this.#crew.lastComeFirst === true
    while (this.#waiting.length > 0 && !this.#isFull(now)) {
      this.#begin(isLast ? this.#waiting.pop()! : this.#waiting.shift()!, now)
    }
  }

  #refuse(now: number, status: number): void {
    const refusals = [{ at: now, status }]
    this.#seen.push({ ...admitted(now), accepted: null, outcome: 'rejected', refusals })
    this.#comeBack(now + PAUSE)
  }

  #comeBack(now: number): void {
    if (this.#load.kind === 'closed' && this.#begun++ < this.#load.executions) {
      this.#arrivals.add(now, 'ours')
    }
  }
}

function firstArrivals(load: AppliedLoad, random: Random): number[] {
  if (load.kind === 'closed') {
    return Array.from({ length: Math.min(load.clients, load.executions) }, () => 0)
  }
  let at = 0
  return Array.from({ length: load.executions }, () => {
    at += (random.exponential() * HOUR) / load.perHour
    return at
  })
}

function admitted(now: number): Seen {
  const times = { kickoffMicros: 0, admittedMicros: 0, endedWithin: 0 }
  const open = { started: null, ended: null, known: null }
  return { intended: now, accepted: now, ...times, ...open, outcome: 'completed', refusals: [] }
}
