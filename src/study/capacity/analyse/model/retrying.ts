/** Schedules the retries of executions that were turned away, between the arrivals. */
import { DueHeap } from '../../../../base/collections/heap.ts'
import type { Queue } from './queue.ts'
import { TURNED_AWAY } from './queue.ts'
import type { Retries } from './system.ts'

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
