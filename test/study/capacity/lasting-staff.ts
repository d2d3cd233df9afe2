/** The fake crew's scaling, over loads on one crew, and what it knows of it. */
import { WorkerScaling } from '../../../fake-crew/model/work/shared/scaling.ts'
import type { Staff as Rule } from '../../../fake-crew/model/work/shared/scaling.ts'
import type { Staff } from '../../support/targets/worker-crew.ts'

export class LastingStaff implements Staff {
  readonly #scaling: WorkerScaling
  readonly #pauseMicros: number
  readonly #fewest: number
  /** By number of workers: for how long executions had waited when it was there first. */
  readonly waitedUntil = new Map<number, number>()
  #loadBegan = 0
  #seenAt = 0
  #waitedMicros = 0
  #isWaiting = false

  /** `pauseMicros`: the time between two loads. */
  constructor(rule: Rule, pauseMicros = 0) {
    this.#scaling = new WorkerScaling(rule)
    this.#fewest = rule.fewest
    this.#pauseMicros = pauseMicros
  }

  /** Begins the next load: its times count from now. */
  begin(): void {
    this.#loadBegan = this.#seenAt + this.#pauseMicros
    while (this.#scaling.nextMicros <= this.#loadBegan) this.#scaling.change()
    this.#seenAt = this.#loadBegan
  }

  get workers(): number {
    return this.#scaling.workers
  }

  get nextMicros(): number {
    return this.#scaling.nextMicros - this.#loadBegan
  }

  change(): void {
    this.#passes(this.#scaling.nextMicros)
    this.#scaling.change()
    const { workers } = this
    if (workers > this.#fewest && !this.waitedUntil.has(workers)) {
      this.waitedUntil.set(workers, this.#waitedMicros)
    }
  }

  sees(load: { waiting: number; busy: number }, nowMicros: number): void {
    this.#passes(this.#loadBegan + nowMicros)
    this.#isWaiting = load.waiting > 0
    this.#scaling.sees(load, this.#seenAt)
  }

  #passes(until: number): void {
    if (this.#isWaiting) this.#waitedMicros += until - this.#seenAt
    this.#seenAt = until
  }
}
