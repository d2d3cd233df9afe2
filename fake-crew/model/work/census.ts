/**
 * How many executions are in each phase now, counted as time goes on: nobody has to walk through
 * all of them.
 */
import { DueHeap } from '../../../src/base/heap.ts'
import type { Micros } from '../../../src/base/units.ts'
import type { Fate } from './demand.ts'
import type { Phase } from './executions.ts'

/** Infinity where it never begins, or never ends. */
export interface Course {
  ordinal: number
  startedMicros: Micros
  endedMicros: Micros
  fate: Fate
}

interface Ahead {
  course: Course
  next: 'start' | 'end'
}

export class Census {
  readonly #phases: Record<Phase, number> = { queued: 0, running: 0, completed: 0, failed: 0 }
  readonly #ended: (ordinal: number, endedMicros: Micros) => void
  /** The courses that go on, by when their next phase begins. */
  readonly #ahead = new DueHeap<Ahead>()

  /** `ended` is called for each execution that ends, in order of time. */
  constructor(ended: (ordinal: number, endedMicros: Micros) => void) {
    this.#ended = ended
  }

  /** As of the time that was settled last. Executions that a restart lost are in none. */
  get phases(): Readonly<Record<Phase, number>> {
    return this.#phases
  }

  add(course: Course): void {
    this.#phases.queued++
    this.#await(course.startedMicros, { course, next: 'start' })
  }

  /** Times must not fall. */
  settle(nowMicros: Micros): void {
    while (this.#ahead.nextDue <= nowMicros) {
      const dueMicros = this.#ahead.nextDue
      this.#advance(this.#ahead.pop()!, dueMicros)
    }
  }

  /** All that have not ended are lost; which of them had an end before them. */
  lose(): number[] {
    const lost: number[] = []
    for (let ahead = this.#ahead.pop(); ahead !== undefined; ahead = this.#ahead.pop()) {
      lost.push(ahead.course.ordinal)
    }
    this.#phases.queued = 0
    this.#phases.running = 0
    return lost
  }

  #advance({ course, next }: Ahead, dueMicros: Micros): void {
    if (next === 'start') {
      this.#phases.queued--
      this.#phases.running++
      this.#await(course.endedMicros, { course, next: 'end' })
      return
    }
    this.#phases.running--
    this.#phases[course.fate === 'failed' ? 'failed' : 'completed']++
    this.#ended(course.ordinal, dueMicros)
  }

  #await(atMicros: Micros, ahead: Ahead): void {
    if (atMicros !== Infinity) this.#ahead.push(atMicros, ahead)
  }
}
