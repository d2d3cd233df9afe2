/**
 * What an engine spends, and what it writes down of that beforehand: a run that is cut has spent no
 * more than its journal says.
 */
import type { FindingLine } from '../execution/record/journal-lines.ts'
import type { Plan } from '../scenario/plan.ts'
import type { Micros } from '../base/units.ts'
import type { Host } from './host.ts'
import type { EngineOptions } from './interface.ts'

export type BudgetKind = 'kickoff' | 'request'

/**
 * Requests written down at once: the most that a cut loses of a budget, where a twentieth of that
 * is not less.
 */
const MOST_AT_ONCE = 64

export class SpendingLedger {
  readonly #host: Pick<Host, 'spend'>
  readonly #write: (finding: FindingLine['finding']) => void
  /** 0 where nothing has to be known of them. */
  readonly #atOnce: number
  #spent: number
  #written = 0
  /**
   * Of a budget of time so much is written down at once; Infinity where nothing has to be known of
   * it.
   */
  readonly #stepMicros: Micros
  #writtenMicros: Micros = -Infinity

  constructor(
    { budget: { requests, wallMicros } }: Pick<Plan, 'budget'>,
    host: Pick<Host, 'spend'>,
    { requestsSpent = 0 }: Pick<EngineOptions, 'requestsSpent'>,
    write: (finding: FindingLine['finding']) => void,
  ) {
    this.#host = host
    this.#write = write
    this.#atOnce = requests === null ? 0 : Math.min(MOST_AT_ONCE, Math.ceil(requests / 20))
    this.#spent = requestsSpent
    this.#stepMicros = wallMicros === null ? Infinity : Math.ceil(wallMicros / 20)
  }

  /** Before anything else, but after the run's first line: what was spent before shall be known. */
  open(): void {
    if (this.#atOnce > 0) this.#write(this.#reserve())
  }

  /** When time has to be written down again; Infinity for never. */
  get nextMicros(): Micros {
    return this.#stepMicros === Infinity ? Infinity : this.#writtenMicros
  }

  /** Whoever is alive at this point says so, before it does anything. */
  tick(now: Micros): void {
    if (now < this.nextMicros || this.#stepMicros === Infinity) return
    this.#writtenMicros = now + this.#stepMicros
    this.#write({ kind: 'time-reserved', untilMicros: this.#writtenMicros })
  }

  /** Takes one from the budget; false when it is spent. */
  spend(kind: BudgetKind): boolean {
    if (!this.#host.spend(kind)) return false
    if (kind === 'kickoff') return true
    this.#spent++
    if (this.#atOnce > 0 && this.#spent > this.#written) this.#write(this.#reserve())
    return true
  }

  #reserve(): FindingLine['finding'] {
    this.#written = this.#spent + this.#atOnce
    return { kind: 'requests-reserved', total: this.#written }
  }
}
