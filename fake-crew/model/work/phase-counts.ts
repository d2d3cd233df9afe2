/**
 * How many executions are in each phase, counted as time passes, so that no query has to scan them
 * all.
 */
import { DueHeap } from '../../../src/base/collections/heap.ts'
import type { Micros } from '../../../src/base/units.ts'
import type { DrawnFate } from './demand.ts'
import type { LifePhase } from './executions.ts'

/** One that waits for a person counts as running. */
export type CountedPhase = Exclude<LifePhase, 'asked'>

/** Infinity if the phase never begins, or never ends. */
export interface PhaseTimes {
  ordinal: number
  startedMicros: Micros
  endedMicros: Micros
  fate: DrawnFate
}

interface Ahead {
  course: PhaseTimes
  next: 'start' | 'end'
}

export class PhaseCounts {
  readonly #phases: Record<CountedPhase, number> = {
    queued: 0,
    running: 0,
    completed: 0,
    failed: 0,
  }
  readonly #ended: (ordinal: number, endedMicros: Micros) => void
  /** The executions still in progress, by when their next phase begins. */
  readonly #ahead = new DueHeap<Ahead>()

  /** `ended` is called for each execution that ends, in order of time. */
  constructor(ended: (ordinal: number, endedMicros: Micros) => void) {
    this.#ended = ended
  }

  /** The phases at the time of the last `settle`. Executions lost in a restart are in no phase. */
  get phases(): Readonly<Record<CountedPhase, number>> {
    return this.#phases
  }

  add(course: PhaseTimes): void {
    this.#phases.queued++
    this.#await(course.startedMicros, { course, next: 'start' })
  }

  /** One that was added without a start begins now. */
  begin(): void {
    this.#phases.queued--
    this.#phases.running++
  }

  /** The end of one that was added without it, because its worker was not known. */
  end(course: PhaseTimes): void {
    this.#await(course.endedMicros, { course, next: 'end' })
  }

  /** Times must not decrease. */
  settle(nowMicros: Micros): void {
    while (this.#ahead.nextDue <= nowMicros) {
      const dueMicros = this.#ahead.nextDue
      this.#advance(this.#ahead.pop()!, dueMicros)
    }
  }

  /**
   * All executions that have not ended are lost. Returns those that would have ended at some time.
   */
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
