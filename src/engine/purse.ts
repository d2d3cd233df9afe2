/** What an engine spends, and what it writes down of that beforehand: a run that is cut has spent no more than its journal says. */
import type { FindingLine } from '../execution/journal.ts'
import type { Plan } from '../scenario/plan.ts'
import type { Host } from './host.ts'
import type { EngineOptions } from './interface.ts'

export type BudgetKind = 'kickoff' | 'request'

/** Requests written down at once: the most that a cut loses of a budget, where a twentieth of that is not less. */
const MOST_AT_ONCE = 64

export class Purse {
  readonly #host: Pick<Host, 'spend'>
  readonly #write: (finding: FindingLine['finding']) => void
  /** 0 where nothing has to be known of them. */
  readonly #atOnce: number
  #spent: number
  #written = 0

  /** Where several engines follow one another nothing can be gone on with: they write down nothing. */
  constructor(
    { budget: { requests } }: Pick<Plan, 'budget'>,
    host: Pick<Host, 'spend'>,
    { shared, requestsSpent = 0 }: Pick<EngineOptions, 'shared' | 'requestsSpent'>,
    write: (finding: FindingLine['finding']) => void,
  ) {
    const isCounted = requests !== null && shared === undefined
    this.#host = host
    this.#write = write
    this.#atOnce = isCounted ? Math.min(MOST_AT_ONCE, Math.ceil(requests / 20)) : 0
    this.#spent = requestsSpent
  }

  /** Before anything else, but after the run's first line: what was spent before shall be known. */
  open(): void {
    if (this.#atOnce > 0) this.#write(this.#reserve())
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
