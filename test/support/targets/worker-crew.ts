/** A crew of workers behind a queue, run event by event: what a search for its capacity sees. */
import type { Random } from '../../../src/base/random.ts'
import type { Load, LoadSeen, Seen } from '../../../src/study/capacity/analyse/learn/seen.ts'

/** How the crew behaves in one run; times are in microseconds since its begin. */
export interface WorkerCrew {
  slots: number
  /** Executions that may wait. Default: no limit. */
  queueLimit?: number
  /** Whether the last that came is the next that begins. Default: the first. */
  lastComeFirst?: boolean
  /** Of an execution that a worker takes now. */
  work(taken: Taken): Work
  /** The status by which a kickoff is refused before it may wait. Default: none is. */
  refusal?: (now: number) => number | null
  /** Executions of somebody else, who come at random, and whom nobody sees. Default: none. */
  neighbours?: { perHour: number; micros: () => number }
  /** A step before the workers with a queue of its own, which nobody sees. Default: none. */
  pool?: { slots: number; micros: () => number }
  /** From an end until the client of a closed load begins its next execution. Default 0. */
  clientLateMicros?: number
}

interface Taken {
  now: number
  /** Its place among all kickoffs of the run. */
  place: number
  /** Executions that run, this one among them. */
  busy: number
  waiting: number
}

interface Work {
  serviceMicros: number
  /** From when a worker takes it until it begins. Default 0. */
  delayMicros?: number
  /** Default false. */
  fails?: boolean
}

const HOUR = 3_600_000_000
/** Before a client that was refused kicks off again. */
const PAUSE = 1_000_000
/** In times of work of a neighbour. */
const LONG_BEFORE = -20

/** Times of one kind, least first. */
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

/** One run from empty; `random` draws its arrivals. */
export function executionsOf(crew: WorkerCrew, load: Load, random: Random): Seen[] {
  return runOf(crew, load, random).executions
}

interface WorkerRun {
  executions: Seen[]
  /** Of neighbours. */
  others: LoadSeen['others'] & {}
}

/** The same, with what a ledger would tell of somebody else's executions. */
export function runOf(crew: WorkerCrew, load: Load, random: Random): WorkerRun {
  return new Run(crew, load, random).result()
}

class Run {
  readonly #crew: WorkerCrew
  readonly #load: Load
  readonly #arrivals = new Due<'ours' | 'theirs'>()
  readonly #random: Random
  readonly #theirs = new Set<number>()
  readonly #ends = new Due<number>()
  readonly #pooled = new Due<number>()
  readonly #inPool: number[] = []
  readonly #waiting: number[] = []
  readonly #seen: Seen[] = []
  #begun: number

  constructor(crew: WorkerCrew, load: Load, random: Random) {
    this.#crew = crew
    this.#load = load
    this.#random = random.fork('neighbours')
    const times = firstArrivals(load, random)
    for (const at of times) this.#arrivals.add(at, 'ours')
    // They have been there for long.
    if (crew.neighbours !== undefined)
      this.#arrivals.add(LONG_BEFORE * crew.neighbours.micros(), 'theirs')
    this.#begun = times.length
  }

  result(): WorkerRun {
    while (this.#step()) {
      // As long as any of ours is to come or to end.
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
    if (now === end) this.#end(now)
    else if (now === pooled) this.#leavePool(now)
    else if (this.#arrivals.take() === 'ours') this.#arrive(now)
    else this.#neighbour(now)
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

  /** Some of ours have not come, or not ended. */
  get #isWanted(): boolean {
    const { executions } = this.#load
    const ours = this.#seen.filter((_, place) => !this.#theirs.has(place))
    return ours.length < executions || ours.some(({ ended }) => ended === null)
  }

  #arrive(now: number): void {
    const { slots, queueLimit = Infinity, refusal, pool } = this.#crew
    const status = refusal?.(now) ?? null
    if (status !== null) return this.#refuse(now, status)
    const isFull = this.#ends.size >= slots
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
    if (this.#ends.size >= this.#crew.slots) this.#waiting.push(place)
    else this.#begin(place, now)
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
    const isLast = this.#crew.lastComeFirst === true
    const next = isLast ? this.#waiting.pop() : this.#waiting.shift()
    if (next !== undefined) this.#begin(next, now)
    if (!isTheirs) this.#comeBack(now + (this.#crew.clientLateMicros ?? 0))
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

function firstArrivals(load: Load, random: Random): number[] {
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
