/**
 * Workers that take executions first come, first served, over typed arrays: the recursion of Kiefer
 * and Wolfowitz ("On the theory of queues with many servers", 1955) with the free times in a heap.
 */
import { replaceLeast, DueHeap } from '../../../../base/collections/heap.ts'
import type { Retries } from './system.ts'

/** The wait of an execution that was turned away. */
export const TURNED_AWAY = -1

export interface Workers {
  slots: number
  /** Executions that may wait; null for no limit. */
  queueLimit: number | null
}

export interface Arriving {
  gaps: Float64Array
  gapMicros: number
  services: Float64Array
}

export class Queue {
  readonly #free: Float64Array
  readonly #queueLimit: number
  /** The latest starts, in a ring; those after the present are the executions that wait. */
  readonly #starts: Float64Array
  #admitted = 0
  #begun = 0

  constructor({ slots, queueLimit }: Workers) {
    this.#free = new Float64Array(slots).fill(-Infinity)
    this.#queueLimit = queueLimit ?? Infinity
    this.#starts = new Float64Array(queueLimit === null ? 0 : queueLimit + 1)
  }

  /**
   * The number of workers that would be busy when an execution that arrives `at` begins, its own
   * included.
   */
  busyBeside(at: number): number {
    const start = Math.max(at, this.#free[0]!)
    let busy = 1
    for (const free of this.#free) if (free > start) busy++
    return busy
  }

  /**
   * Returns the wait of the next arrival, or `TURNED_AWAY`. `at` never decreases; all times have
   * the same unit.
   */
  take(at: number, service: number): number {
    const earliest = this.#free[0]!
    const isLimited = this.#queueLimit !== Infinity
    if (isLimited && earliest > at) {
      // Starts never decrease.
      while (this.#begun < this.#admitted && this.#startOf(this.#begun) <= at) this.#begun++
      if (this.#admitted - this.#begun >= this.#queueLimit) return TURNED_AWAY
    }
    const start = earliest > at ? earliest : at
    if (isLimited && start > at) this.#wait(start)
    replaceLeast(this.#free, start + service)
    return start - at
  }

  /**
   * Writes the wait of each execution to `waits`, as `take` gives it: the first arrives after
   * `gaps[0] * gapMicros`, the next after another gap.
   */
  takeAll({ gaps, gapMicros, services }: Arriving, waits: Float64Array): void {
    const isLimited = this.#queueLimit !== Infinity
    const free = this.#free
    let at = 0
    for (let i = 0; i < waits.length; i++) {
      at += gaps[i]! * gapMicros
      if (isLimited) {
        waits[i] = this.take(at, services[i]!)
        continue
      }
      const earliest = free[0]!
      const start = earliest > at ? earliest : at
      waits[i] = start - at
      replaceLeast(free, start + services[i]!)
    }
  }

  #startOf(place: number): number {
    return this.#starts[place % this.#starts.length]!
  }

  #wait(start: number): void {
    this.#starts[this.#admitted++ % this.#starts.length] = start
  }
}

/**
 * Writes the wait of each execution to `waits`, as `Queue.take` returns it. `arrivals` must be in
 * rising order. With a `pace`, service times are multiplied by it in place, according to the share
 * of workers that are busy when an execution begins, its own included.
 */
export function waitsOf(
  workers: Workers,
  arrivals: Float64Array,
  services: Float64Array,
  waits: Float64Array,
  pace: ((busyShare: number) => number) | null = null,
): void {
  const queue = new Queue(workers)
  for (let i = 0; i < arrivals.length; i++) {
    if (pace !== null) services[i]! *= pace(queue.busyBeside(arrivals[i]!) / workers.slots)
    waits[i] = queue.take(arrivals[i]!, services[i]!)
  }
}

interface Attempt {
  /** The index of the arrival. */
  place: number
  number: number
  arrivedAt: number
}

interface RetryColumns {
  /** The wait from the arrival to the start, as `Queue.take` gives it. */
  waits: Float64Array
  services: Float64Array
}

/** The multiples of this number, modulo 1, are spread evenly. */
const GOLDEN = (Math.sqrt(5) - 1) / 2

export class Retrying {
  readonly #retries: Retries
  readonly #due = new DueHeap<Attempt>()
  #scheduled = 0

  constructor(retries: Retries) {
    this.#retries = retries
  }

  turnedAway(place: number, at: number): void {
    this.#again({ place, number: 0, arrivedAt: at }, at)
  }

  /** Carries out all retries that are due until `until`. */
  until(until: number, queue: Queue, { waits, services }: RetryColumns): void {
    while (this.#due.nextDue <= until && this.#due.size > 0) {
      const at = this.#due.nextDue
      const attempt = this.#due.pop()!
      const { place, arrivedAt } = attempt
      const wait = queue.take(at, services[place]!)
      if (wait === TURNED_AWAY) this.#again(attempt, at)
      else waits[place] = at + wait - arrivedAt
    }
  }

  #again({ number, ...attempt }: Attempt, at: number): void {
    const { most, gaps } = this.#retries
    if (number >= most) return
    const times = gaps[Math.min(number, gaps.length - 1)]!
    const draw = (this.#scheduled++ * GOLDEN) % 1
    this.#due.push(at + times[Math.floor(draw * times.length)]!, { ...attempt, number: number + 1 })
  }
}
