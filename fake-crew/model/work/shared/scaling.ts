/** Workers whose number follows the load: more while executions wait, fewer while some are idle. */
import { z } from 'zod'
import type { Micros } from '../../../../src/base/units.ts'
import { lasting, whole } from '../../schema/complete-form/quantities.ts'
import { count, duration } from '../../schema/quantities.ts'

export interface ScalingProfile {
  /** The most workers; `workers` of the capacity is the fewest. */
  to: number
  upAfterMicros: Micros
  downAfterMicros: Micros
}

export const scalingWritten = z
  .strictObject({
    from: count(1).meta({ description: 'The fewest workers, with which the crew begins.' }),
    to: count(1).meta({ description: 'The most workers.' }),
    upAfter: duration.meta({
      description: 'While executions wait, one more worker is ready after each such time.',
    }),
    downAfter: duration.meta({
      description: 'While workers are idle, one of them goes after each such time.',
    }),
  })
  .refine(({ from, to }) => to >= from, {
    path: ['to'],
    error: 'expected a number of workers that is not below from',
  })
  .refine(({ upAfter }) => upAfter > 0, {
    path: ['upAfter'],
    error: 'expected a duration above 0',
  })
  .refine(({ downAfter }) => downAfter > 0, {
    path: ['downAfter'],
    error: 'expected a duration above 0',
  })
  .meta({ description: 'A number of workers that follows the load.' })

export const scalingComplete: z.ZodType<ScalingProfile> = z.strictObject({
  to: whole(1),
  upAfterMicros: lasting,
  downAfterMicros: lasting,
})

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
