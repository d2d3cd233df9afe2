/**
 * Enforces the budgets of kickoffs and requests: an engine takes each one here before it sends it.
 * Spending is written to the journal beforehand, so that a cut run has spent no more than its
 * journal says.
 */
import type { IncidentLine, PushLine } from '../execution/record/journal-lines.ts'
import type { ExecutionRecord } from '../execution/record/record.ts'
import type { Plan } from '../scenario/plan.ts'
import type { Micros } from '../base/units.ts'
import type { BudgetKind, SendingBudget } from './sending-budget.ts'
import { CostCount } from './sending-budget.ts'
import type { Host } from './host.ts'

/**
 * Requests written at once: the most of a budget that a cut loses, unless a twentieth of it is
 * more.
 */
const MOST_AT_ONCE = 64

export class SpendingGate {
  readonly #budget: SendingBudget
  readonly #write: (incident: IncidentLine['incident']) => void
  /** 0 if requests need not be recorded. */
  readonly #atOnce: number
  #written = 0
  /** This much of a budget of time is written at once; Infinity if time need not be recorded. */
  readonly #stepMicros: Micros
  readonly #cost: CostCount | null
  #writtenMicros: Micros = -Infinity

  constructor(
    plan: Plan,
    { budget }: Pick<Host, 'budget'>,
    write: (incident: IncidentLine['incident']) => void,
  ) {
    const { requests, wallMicros } = plan.budget
    this.#cost = budget.cost === undefined ? null : new CostCount(plan, budget.cost)
    this.#budget = budget
    this.#write = write
    this.#atOnce = requests === null ? 0 : Math.min(MOST_AT_ONCE, Math.ceil(requests / 20))
    this.#stepMicros = wallMicros === null ? Infinity : Math.ceil(wallMicros / 20)
  }

  /** Runs first, right after the run's first line, so that earlier spending is recorded. */
  open(): void {
    if (this.#atOnce > 0) this.#write(this.#reserve())
  }

  /** When time must be written again; Infinity for never. */
  get nextMicros(): Micros {
    return this.#stepMicros === Infinity ? Infinity : this.#writtenMicros
  }

  /** Records that the engine is alive at this time, before it does anything. */
  tick(now: Micros): void {
    if (now < this.nextMicros || this.#stepMicros === Infinity) return
    this.#writtenMicros = now + this.#stepMicros
    this.#write({ kind: 'time-reserved', untilMicros: this.#writtenMicros })
  }

  /** Whether the budget of cost has room for one more execution. */
  get hasRoom(): boolean {
    return this.#cost?.budget.hasRoom ?? true
  }

  /** Its kickoff is sent once more. */
  repeated(): void {
    this.#cost?.repeated()
  }

  /** An execution was started. */
  started(): void {
    this.#cost?.started()
  }

  /** One that was started has ended. */
  ended(record: ExecutionRecord): void {
    this.#cost?.ended(record)
  }

  /** What a push reports, before or after the end of its execution. */
  pushed(line: PushLine): void {
    this.#cost?.correctCost(line)
  }

  /** Takes one from the budget; returns false if it is spent. */
  spend(kind: BudgetKind): boolean {
    if (!this.#budget.spend(kind)) return false
    const isWritten = this.#atOnce === 0 || this.#budget.spent.requests <= this.#written
    if (!isWritten) this.#write(this.#reserve())
    return true
  }

  #reserve(): IncidentLine['incident'] {
    this.#written = this.#budget.spent.requests + this.#atOnce
    return { kind: 'requests-reserved', total: this.#written }
  }
}
