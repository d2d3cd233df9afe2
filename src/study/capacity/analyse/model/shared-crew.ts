/**
 * Workers whose executions share something besides: a quota, or a processor. It is modelled as one
 * server that passes them on at its own pace, first come, first served, and takes no time of its
 * own: each visit waits until the server has dealt with those before. Measured against simulated
 * crews, one number for its pace is enough for quotas of calls whose clients wait or try again, and
 * for shared processors (`bench/capacity/quota`).
 */

/** The server that executions share. */
export interface SharedServer {
  /** The time of the server that one execution needs; its reciprocal caps the crew. */
  demandMicros: number
  /** How often an execution visits it, before each part of its work; at least once. */
  visits: number
  refill: Refill
}

/**
 * When visits are passed on: one after the other, save that an idle server saves time for later
 * ones, up to `burstMicros`; or as many as a window allows, from its beginning on. Visits that find
 * no time left wait in their order, or ask again after `pauses`. A processor passes all on at once,
 * and divides itself among the executions at work: so many of them do not slow each other down as
 * their own work, in the mean `workMicros`, is of the demand.
 */
export type Refill =
  | { kind: 'steady'; burstMicros: number; pauses: Pauses | null }
  | { kind: 'window'; micros: number; fromMicros: number }
  | { kind: 'processor'; workMicros: number }

/** A refused visit asks again after the first pause, then after twice as long, up to the most. */
export interface Pauses {
  firstMicros: number
  mostMicros: number
}

/** The multiples of this number, modulo 1, are spread evenly. */
const GOLDEN = (Math.sqrt(5) - 1) / 2

/** Passes visits on in the order in which they come. */
class Passing {
  readonly #paceMicros: number
  readonly #refill: Refill
  /** When the server has dealt with all visits, if it needs its time for each. */
  #freeAt = -Infinity
  /** The present window, and the visits that it still allows. */
  #window = -Infinity
  #left = 0
  #refused = 0

  constructor({ demandMicros, visits, refill }: SharedServer) {
    this.#paceMicros = demandMicros / visits
    this.#refill = refill
  }

  /** When a visit is passed on that is made `at`, which never decreases. */
  passes(at: number): number {
    const refill = this.#refill
    if (refill.kind === 'processor') return at
    if (refill.kind === 'window') return this.#inWindow(at, refill)
    const passed = Math.max(at, this.#freeAt - refill.burstMicros)
    if (passed > at && refill.pauses !== null) return passed
    this.#freeAt = Math.max(at, this.#freeAt) + this.#paceMicros
    return passed
  }

  /** The pause of a visit that would have to wait, and asks again; null where it waits. */
  pauseAfter(refusals: number): number | null {
    const pauses = this.#refill.kind === 'steady' ? this.#refill.pauses : null
    if (pauses === null) return null
    const longest = Math.min(pauses.mostMicros, pauses.firstMicros * 2 ** refusals)
    return longest * (1 - ((this.#refused++ * GOLDEN) % 1) / 2)
  }

  #inWindow(at: number, { micros, fromMicros }: Extract<Refill, { kind: 'window' }>): number {
    const allowed = micros / this.#paceMicros
    const now = Math.floor((at - fromMicros) / micros)
    if (now > this.#window) [this.#window, this.#left] = [now, allowed]
    this.#left--
    while (this.#left < 0) {
      this.#window++
      this.#left += allowed
    }
    return Math.max(at, this.#window * micros + fromMicros)
  }
}

/** The own work of executions, by their number. */
export interface Works {
  micros: Float64Array
  /** The place of each in `shares`, which has `visits` parts of each place. */
  places: Int32Array
  shares: Float64Array
}

/** Longer before that, pauses have become as long as they do. */
const MOST_REFUSALS = 255

/** Executions that wait to be served are numbered in their order. */
class SimulatedExecutions {
  readonly #visits: number
  readonly #passing: Passing
  /** Executions with a worker, in a heap by when each goes on, in the time of the processor. */
  readonly #times: Float64Array
  readonly #ids: Int32Array
  readonly #works: Works
  readonly #left: Uint8Array
  /** How often the present visit of each was refused. */
  readonly #refusals: Uint8Array
  #size = 0
  /** The executions that a shared processor does not slow down; Infinity for none. */
  readonly #undisturbed: number
  /** The work that each execution got from it, until a time. */
  #received = 0
  #receivedAt = 0

  constructor(slots: number, shared: SharedServer, works: Works) {
    const { refill, visits, demandMicros } = shared
    this.#visits = visits
    this.#passing = new Passing(shared)
    this.#undisturbed = refill.kind === 'processor' ? refill.workMicros / demandMicros : Infinity
    this.#times = new Float64Array(slots)
    this.#ids = new Int32Array(slots)
    this.#works = works
    this.#left = new Uint8Array(works.micros.length)
    this.#refusals = new Uint8Array(works.micros.length)
  }

  get isFull(): boolean {
    return this.#size === this.#times.length
  }

  /** When the next execution goes on or ends; Infinity for none. */
  get next(): number {
    if (this.#size === 0) return Infinity
    if (this.#undisturbed === Infinity) return this.#times[0]!
    return this.#receivedAt + (this.#times[0]! - this.#received) * this.#slowness
  }

  begin(id: number, at: number): void {
    this.#receive(at)
    this.#left[id] = this.#visits - 1
    const time = this.#visit(id, at)
    let hole = this.#size++
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      if (this.#times[parent]! <= time) break
      this.#times[hole] = this.#times[parent]!
      this.#ids[hole] = this.#ids[parent]!
      hole = parent
    }
    this.#times[hole] = time
    this.#ids[hole] = id
  }

  /** Lets the next execution go on, at `next`. Returns its number if it ends, otherwise -1. */
  step(): number {
    const at = this.next
    this.#receive(at)
    const id = this.#ids[0]!
    if (this.#refusals[id]! > 0) {
      this.#sink(this.#visit(id, at), id)
      return -1
    }
    if (this.#left[id]! > 0) {
      this.#left[id]!--
      this.#sink(this.#visit(id, at), id)
      return -1
    }
    this.#size--
    if (this.#size > 0) this.#sink(this.#times[this.#size]!, this.#ids[this.#size]!)
    return id
  }

  get #slowness(): number {
    return Math.max(1, this.#size / this.#undisturbed)
  }

  #receive(at: number): void {
    if (this.#undisturbed === Infinity) return
    this.#received += (at - this.#receivedAt) / this.#slowness
    this.#receivedAt = at
  }

  /** When the work is done that follows a visit that is made `at`; or when it asks again. */
  #visit(id: number, at: number): number {
    const passed = this.#passing.passes(at)
    const pause = passed > at ? this.#passing.pauseAfter(this.#refusals[id]!) : null
    if (pause !== null) {
      this.#refusals[id] = Math.min(MOST_REFUSALS, this.#refusals[id]! + 1)
      return at + pause
    }
    this.#refusals[id] = 0
    const { micros, places, shares } = this.#works
    const part = places[id]! * this.#visits + this.#visits - 1 - this.#left[id]!
    const from = this.#undisturbed === Infinity ? passed : this.#received
    return from + micros[id]! * shares[part]!
  }

  /** Puts an entry in the place of the first. */
  #sink(time: number, id: number): void {
    const [times, ids, size] = [this.#times, this.#ids, this.#size]
    let hole = 0
    for (let child = 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && times[child + 1]! < times[child]!) child++
      if (times[child]! >= time) break
      times[hole] = times[child]!
      ids[hole] = ids[child]!
      hole = child
    }
    times[hole] = time
    ids[hole] = id
  }
}

interface SharedWorkers {
  slots: number
  /** Executions that may wait; null for no limit. */
  queueLimit: number | null
  shared: SharedServer
}

interface WaitColumns {
  works: Works
  /** Where to write its wait for a worker; `turnedAway` if the queue was full. */
  waits: Float64Array
  /** Where to write its time with the worker. */
  services: Float64Array
}

/** Simulates open arrivals, in rising order. */
export function serveOpen(
  { slots, queueLimit, shared }: SharedWorkers,
  arrivals: Float64Array,
  { works, waits, services }: WaitColumns,
  turnedAway: number,
): void {
  const running = new SimulatedExecutions(slots, shared, works)
  const most = queueLimit ?? Infinity
  const begin = (id: number, at: number): void => {
    waits[id] = at - arrivals[id]!
    running.begin(id, at)
  }
  // Those that wait are in a ring of the arrivals themselves, since none overtakes another.
  const queue = new Int32Array(arrivals.length)
  let [first, last] = [0, 0]
  const until = (limit: number): void => {
    for (let at = running.next; at <= limit && at < Infinity; at = running.next) {
      const ended = running.step()
      if (ended < 0) continue
      services[ended] = at - arrivals[ended]! - waits[ended]!
      if (first < last) begin(queue[first++]!, at)
    }
  }
  for (let id = 0; id < arrivals.length; id++) {
    const at = arrivals[id]!
    until(at)
    if (!running.isFull) begin(id, at)
    else if (last - first < most) queue[last++] = id
    else {
      waits[id] = turnedAway
      services[id] = 0
    }
  }
  until(Infinity)
}

/**
 * Simulates a crew in which executions always wait, and returns the mean time with a worker of
 * those that began after the first third, while all workers were still busy.
 */
export function fullServiceMicros(
  { slots, shared }: Omit<SharedWorkers, 'queueLimit'>,
  works: Works,
): number {
  const running = new SimulatedExecutions(slots, shared, works)
  const size = works.micros.length
  const begun = new Float64Array(size)
  const present = Math.min(slots, size)
  const [from, to] = [size / 3, size - 2 * present]
  let next = 0
  while (next < present) running.begin(next++, 0)
  let [sum, counted] = [0, 0]
  while (next < size) {
    const at = running.next
    const ended = running.step()
    if (ended < 0) continue
    if (ended >= from && ended < to) {
      sum += at - begun[ended]!
      counted++
    }
    begun[next] = at
    running.begin(next++, at)
  }
  return sum / Math.max(1, counted)
}

/**
 * Simulates the first executions of crews in which executions always wait, one after the other
 * with other works, and returns the mean time from the first start of a crew to each of its starts.
 */
export function meanStarts(
  { slots, shared }: Omit<SharedWorkers, 'queueLimit'>,
  works: Works,
  executions: number,
): Float64Array {
  const sums = new Float64Array(executions)
  const crews = Math.max(1, Math.floor(works.micros.length / executions))
  for (let crew = 0; crew < crews; crew++) {
    const running = new SimulatedExecutions(slots, shared, works)
    const first = crew * executions
    for (let n = 0, at = 0; n < executions; n++) {
      while (running.isFull) {
        at = running.next
        running.step()
      }
      sums[n]! += at
      running.begin(first + n, at)
    }
  }
  return sums.map((sum) => sum / crews)
}

/** The shares of the work of each execution of a sample; equal ones where they are not known. */
export function sharesFor(
  { micros, shares }: { micros: Float64Array; shares?: Float64Array },
  visits: number,
): Float64Array {
  return shares ?? new Float64Array(micros.length * visits).fill(1 / visits)
}
