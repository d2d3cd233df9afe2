/** Workers whose number follows the load: more while executions wait, fewer while some are idle. */
import { z } from 'zod'
import type { Micros } from '../../../../src/base/units.ts'
import { count, countOrUnlimited, lasting } from '../../schema/quantities.ts'

/** How many executions run at once; the rest wait. */
export interface WorkerNumbers {
  /** At first; null: no limit. */
  workers: number | null
  /** Missing: the number of workers does not change. */
  scaling?: {
    /** The most workers; `workers` is the fewest. */
    to: number
    upAfterMicros: Micros
    downAfterMicros: Micros
  }
}

const scaling = z
  .strictObject({
    from: count(1).meta({ description: 'The fewest workers, with which the crew begins.' }),
    to: count(1).meta({ description: 'The most workers.' }),
    upAfter: lasting.meta({
      description: 'While executions wait, one more worker is ready after each such time.',
    }),
    downAfter: lasting.meta({
      description: 'While workers are idle, one of them goes after each such time.',
    }),
  })
  .refine(({ from, to }) => to >= from, {
    path: ['to'],
    error: 'expected a number of workers that is not below from',
  })
  .meta({ description: 'A number of workers that follows the load.' })
  .transform(({ from, to, upAfter, downAfter }): WorkerNumbers => ({
    workers: from,
    scaling: { to, upAfterMicros: upAfter, downAfterMicros: downAfter },
  }))

export const workers = z
  .union([countOrUnlimited(1).transform((fixed): WorkerNumbers => ({ workers: fixed })), scaling], {
    error: 'expected a whole number from 1, "unlimited", or { from, to, upAfter, downAfter }',
  })
  .prefault(10)
  .meta({ description: 'Executions that run at once; the rest wait.' })

export interface Staff {
  fewest: number
  most: number
  upAfterMicros: Micros
  downAfterMicros: Micros
}

/** The number of workers over time. `sees` is to be called after each change of the load. */
export class WorkerScaling {
  readonly #staff: Staff
  #workers: number
  #waitingSince: Micros | null = null
  #idleSince: Micros | null = null

  constructor(staff: Staff) {
    this.#staff = staff
    this.#workers = staff.fewest
  }

  get workers(): number {
    return this.#workers
  }

  sees({ waiting, busy }: { waiting: number; busy: number }, nowMicros: Micros): void {
    this.#waitingSince = waiting > 0 ? (this.#waitingSince ?? nowMicros) : null
    this.#idleSince = busy < this.#workers ? (this.#idleSince ?? nowMicros) : null
  }

  /** When the number changes if the load does not; Infinity for never. */
  get nextMicros(): Micros {
    return Math.min(this.#upMicros, this.#downMicros)
  }

  /** Changes the number, at `nextMicros`. */
  change(): void {
    const [up, down] = [this.#upMicros, this.#downMicros]
    if (up <= down) {
      this.#workers++
      this.#waitingSince = up
    } else {
      this.#workers--
      this.#idleSince = down
    }
  }

  get #upMicros(): Micros {
    const { most, upAfterMicros } = this.#staff
    if (this.#waitingSince === null || this.#workers >= most) return Infinity
    return this.#waitingSince + upAfterMicros
  }

  get #downMicros(): Micros {
    const { fewest, downAfterMicros } = this.#staff
    if (this.#idleSince === null || this.#workers <= fewest) return Infinity
    return this.#idleSince + downAfterMicros
  }
}
