/** One run of a drawn crew, event by event: what a search sees of it, with a ledger. */
import type { Random } from '../../src/base/random.ts'
import { createRandom } from '../../src/base/random.ts'
import type { Load, LoadSeen, Seen } from '../../src/study/capacity/analyse/learn/seen.ts'
import type { DrawnCrew } from './crews.ts'
import { failedShare, SECOND, slowdown, unitService } from './crews.ts'

const HOUR = 3_600 * SECOND
const PAUSE = SECOND
/** Of a crew that sleeps, in mean service times. */
const COLD = 0.3
/** The limiter lets so many through in an hour, of what the workers could carry. */
const LIMITED = 0.6
/**
 * The pool in front holds so many of them at once, and each for so long, of the mean service time.
 */
const POOL = { share: 0.6, service: 0.5 }

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

export class World {
  readonly #crew: DrawnCrew
  readonly #random: Random
  /** Over all runs: a crew that drifts goes on drifting. */
  #clock = 0
  #runs = 0

  constructor(crew: DrawnCrew) {
    this.#crew = crew
    this.#random = createRandom(crew.seed).fork('world')
  }

  put(load: Load): LoadSeen {
    const run = new Run(this.#crew, load, this.#random.fork('run', this.#runs++), this.#clock)
    const executions = run.executions()
    this.#clock += Math.max(...executions.map(({ intended, ended }) => ended ?? intended))
    return { load, executions, truth: 'ledger', polls: { refused: 0, all: 0, tookMicros: 0 } }
  }
}

class Run {
  readonly #crew: DrawnCrew
  readonly #load: Load
  readonly #random: Random
  readonly #since: number
  readonly #arrivals = new Due<null>()
  readonly #ends = new Due<number>()
  readonly #pooled = new Due<number>()
  readonly #inPool: number[] = []
  readonly #waiting: number[] = []
  readonly #seen: Seen[] = []
  #begun: number
  #tokens = 0
  #tokensAt = 0

  constructor(crew: DrawnCrew, load: Load, random: Random, since: number) {
    this.#crew = crew
    this.#load = load
    this.#random = random
    this.#since = since
    this.#tokens = crew.slots
    const times = firstArrivals(load, random)
    for (const at of times) this.#arrivals.add(at, null)
    this.#begun = times.length
  }

  executions(): Seen[] {
    for (;;) {
      const [arrival, end, pooled] = [this.#arrivals.next, this.#ends.next, this.#pooled.next]
      const now = Math.min(arrival, end, pooled)
      if (now === Infinity) return this.#seen
      if (now === end) this.#end(this.#ends.take(), now)
      else if (now === pooled) this.#leavePool(this.#pooled.take(), now)
      else {
        this.#arrivals.take()
        this.#arrive(now)
      }
    }
  }

  #arrive(now: number): void {
    const { kind, slots, queueLimit } = this.#crew
    if (kind === 'limiter' && !this.#hasToken(now)) return this.#refuse(now, 429)
    const isFull = this.#ends.size >= slots
    if (isFull && this.#waiting.length >= queueLimit) return this.#refuse(now, 503)
    const place = this.#seen.push(admitted(now)) - 1
    if (kind === 'pool in front') this.#enterPool(place, now)
    else this.#queue(place, now)
  }

  #queue(place: number, now: number): void {
    if (this.#ends.size >= this.#crew.slots) this.#waiting.push(place)
    else this.#begin(place, now)
  }

  #begin(place: number, now: number): void {
    const { kind, meanMicros } = this.#crew
    const isFirst = kind === 'cold start' && place === 0
    const started = isFirst ? now + COLD * meanMicros : now
    const times = slowdown(this.#crew, {
      busy: Math.max(this.#ends.size + 1, now === 0 ? this.#together : 0),
      waiting: this.#waiting.length,
      atMicros: this.#since + now,
    })
    const service = meanMicros * times * unitService(this.#crew, this.#random)
    const ended = started + Math.max(1, service)
    const fails = this.#random.next() < failedShare(this.#crew, this.#ends.size + 1)
    const outcome = fails ? 'failed' : 'completed'
    Object.assign(this.#seen[place] ?? {}, { started, ended, known: ended, outcome })
    this.#ends.add(ended, place)
  }

  /** Those that begin with the load begin beside each other. */
  get #together(): number {
    return this.#load.kind === 'closed' ? Math.min(this.#crew.slots, this.#load.clients) : 0
  }

  #end(_place: number, now: number): void {
    const isLast = this.#crew.kind === 'last come first'
    const next = isLast ? this.#waiting.pop() : this.#waiting.shift()
    if (next !== undefined) this.#begin(next, now)
    this.#comeBack(now)
  }

  #refuse(now: number, status: number): void {
    this.#seen.push({
      ...admitted(now),
      accepted: null,
      outcome: 'rejected',
      refusals: [{ at: now, status }],
    })
    this.#comeBack(now + PAUSE)
  }

  #comeBack(now: number): void {
    if (this.#load.kind === 'closed' && this.#begun++ < this.#load.executions) {
      this.#arrivals.add(now, null)
    }
  }

  #hasToken(now: number): boolean {
    const { slots, meanMicros } = this.#crew
    const perMicro = (LIMITED * slots) / meanMicros
    this.#tokens = Math.min(slots, this.#tokens + (now - this.#tokensAt) * perMicro)
    this.#tokensAt = now
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }

  /** A step before the workers with a queue of its own, which nobody sees. */
  #enterPool(place: number, now: number): void {
    if (this.#pooled.size >= this.#poolSize) this.#inPool.push(place)
    else this.#pooled.add(now + this.#poolMicros, place)
  }

  #leavePool(place: number, now: number): void {
    const next = this.#inPool.shift()
    if (next !== undefined) this.#pooled.add(now + this.#poolMicros, next)
    this.#queue(place, now)
  }

  get #poolSize(): number {
    return Math.max(1, Math.round(POOL.share * this.#crew.slots))
  }

  get #poolMicros(): number {
    return POOL.service * this.#crew.meanMicros * this.#random.exponential()
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
