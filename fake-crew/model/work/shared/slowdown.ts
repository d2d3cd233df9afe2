/**
 * A processor that the work of all executions shares: with more of them than it can serve at full
 * speed, each gets an equal part of it.
 */
import { z } from 'zod'
import { DueHeap } from '../../../../src/base/collections/heap.ts'
import type { Micros } from '../../../../src/base/units.ts'
import { count } from '../../schema/quantities.ts'

export const slowdown = z
  .strictObject({
    shared: count(1).meta({
      description: 'Tasks that run at full speed at once; more of them share that speed equally.',
    }),
  })
  .meta({ description: 'A processor that the tasks of all executions share.' })

/**
 * Keeps the work that each job has received by one number for all of them, since they receive it
 * equally (virtual time; Parekh and Gallager, "A generalized processor sharing approach to flow
 * control", 1993).
 */
export class Processor<Job> {
  readonly #shared: number
  /** Jobs by how much work each will have received when it is done. */
  readonly #jobs = new DueHeap<Job>()
  #received: Micros = 0
  #atMicros: Micros = 0

  /** With Infinity nothing is ever slowed down. */
  constructor(shared: number) {
    this.#shared = shared
  }

  add(job: Job, workMicros: Micros, nowMicros: Micros): void {
    this.#reach(nowMicros)
    this.#jobs.push(this.#received + workMicros, job)
  }

  /** When the next job is done if nothing else arrives; Infinity for no job. */
  get nextMicros(): Micros {
    if (this.#jobs.size === 0) return Infinity
    return this.#atMicros + (this.#jobs.nextDue - this.#received) * this.#slowness
  }

  /** Takes out the job that is done then, at `nextMicros`. */
  pop(): Job | undefined {
    const atMicros = this.nextMicros
    this.#received = this.#jobs.nextDue
    this.#atMicros = atMicros
    return this.#jobs.pop()
  }

  get #slowness(): number {
    return Math.max(1, this.#jobs.size / this.#shared)
  }

  #reach(nowMicros: Micros): void {
    const passed = Math.max(0, nowMicros - this.#atMicros)
    if (this.#jobs.size > 0) this.#received += passed / this.#slowness
    this.#atMicros = Math.max(this.#atMicros, nowMicros)
  }
}
