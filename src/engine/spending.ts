/**
 * Enforces the budgets of kickoffs and requests: an engine takes each one here before it sends it.
 * The host counts what is left (`BudgetLeft`). Spending is written to the journal
 * beforehand, so that a cut run has spent no more than its journal says.
 */
import type { IncidentLine, PushLine } from '../execution/record/journal-lines.ts'
import { mayCost } from '../execution/record/readings.ts'
import type { ExecutionRecord } from '../execution/record/record.ts'
import type { Used } from '../execution/record/used.ts'
import { UsedByPushes } from '../execution/record/used.ts'
import { costOf } from '../scenario/prices.ts'
import type { Plan, BudgetPlan } from '../scenario/plan.ts'
import type { Micros } from '../base/units.ts'
import type { Host } from './host.ts'

export type BudgetKind = 'kickoff' | 'request'

type CostPlan = Pick<Plan, 'budget' | 'prices' | 'webhooks'>
type Ended = ReturnType<typeof kept>

/**
 * Bounds what executions cost together, of one run or of all that share it: what is measured of
 * those that report it, and an estimate for each other one that was started. Until one ends, it
 * counts as much as the estimate, or as the mean of those measured if that is more; so the bound is
 * passed by at most what those under way cost beyond it.
 */
export class CostBudget {
  readonly #most: number
  readonly perKickoff: number
  open = 0
  estimated = 0
  measured = { executions: 0, micros: 0 }

  constructor({ most, perKickoff }: NonNullable<BudgetPlan['cost']>, instances = 1) {
    this.#most = most / instances
    this.perKickoff = perKickoff
  }

  /** Whether one more may be started. */
  get hasRoom(): boolean {
    const { executions, micros } = this.measured
    const mean = executions === 0 ? 0 : micros / executions
    const each = Math.max(this.perKickoff, mean)
    // Sums of decimal amounts are not exact: a millionth decides nothing.
    return micros + this.estimated + (this.open + 1) * each <= this.#most + 1
  }
}

/** Counts the executions of one run in a budget, at its own prices. */
class CostCount {
  readonly #prices: Plan['prices']
  readonly #listens: boolean
  readonly #used = new UsedByPushes(kept)
  readonly budget: CostBudget

  constructor({ prices, webhooks }: CostPlan, budget: CostBudget) {
    this.#prices = prices
    this.#listens = webhooks !== undefined
    this.budget = budget
  }

  started(): void {
    this.budget.open++
  }

  /** A kickoff is sent again: the attempt before may have started an execution that nobody sees. */
  repeated(): void {
    this.budget.estimated += this.budget.perKickoff
  }

  ended(record: ExecutionRecord): void {
    this.budget.open--
    this.#count(record, this.#used.ended(record, this.#listens), 1)
  }

  pushed(line: PushLine): void {
    const corrected = this.#used.pushed(line)
    if (corrected === null) return
    this.#count(corrected.record, corrected.before, -1)
    this.#count(corrected.record, corrected.after, 1)
  }

  #count(record: Ended, used: Used | null, times: 1 | -1): void {
    const cost = used && costOf(used.usage, this.#prices)
    const { measured, perKickoff } = this.budget
    if (used?.isWhole === true && cost?.isWhole === true) {
      measured.executions += times
      measured.micros += times * cost.micros
    } else if (mayCost(record)) {
      this.budget.estimated += times * Math.max(cost?.micros ?? 0, perKickoff)
    }
  }
}

/** What is needed of one that has ended, as long as pushes may come. */
function kept({
  outcome,
  acceptedMicros,
  sentMicros,
  lastNotDoneSentMicros,
  reported: { usage },
}: ExecutionRecord) {
  const reported = usage === undefined ? {} : { usage }
  return { outcome, acceptedMicros, sentMicros, lastNotDoneSentMicros, reported }
}

/**
 * Requests written at once: the most of a budget that a cut loses, unless a twentieth of it is
 * more.
 */
const MOST_AT_ONCE = 64

export class SpendingLedger {
  readonly #host: Pick<Host, 'spend'>
  readonly #write: (incident: IncidentLine['incident']) => void
  /** 0 if requests need not be recorded. */
  readonly #atOnce: number
  #spent: number
  #written = 0
  /** This much of a budget of time is written at once; Infinity if time need not be recorded. */
  readonly #stepMicros: Micros
  readonly #cost: CostCount | null
  #writtenMicros: Micros = -Infinity

  constructor(
    plan: CostPlan,
    host: Pick<Host, 'spend'>,
    options: { requestsSpent?: number; instances: number; sharedCost?: CostBudget | undefined },
    write: (incident: IncidentLine['incident']) => void,
  ) {
    const { requests, wallMicros, cost } = plan.budget
    const { requestsSpent = 0, instances } = options
    const bound = options.sharedCost ?? (cost && new CostBudget(cost, instances))
    this.#cost = bound === undefined ? null : new CostCount(plan, bound)
    this.#host = host
    this.#write = write
    this.#atOnce = requests === null ? 0 : Math.min(MOST_AT_ONCE, Math.ceil(requests / 20))
    this.#spent = requestsSpent
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
    this.#cost?.pushed(line)
  }

  /** Takes one from the budget; returns false if it is spent. */
  spend(kind: BudgetKind): boolean {
    if (!this.#host.spend(kind)) return false
    if (kind === 'kickoff') return true
    this.#spent++
    if (this.#atOnce > 0 && this.#spent > this.#written) this.#write(this.#reserve())
    return true
  }

  #reserve(): IncidentLine['incident'] {
    this.#written = this.#spent + this.#atOnce
    return { kind: 'requests-reserved', total: this.#written }
  }
}

/** The part of a budget that requests use up; null is unlimited. */
export type BudgetLimits = Pick<BudgetPlan, 'kickoffs' | 'requests'>

export const NO_LIMITS: BudgetLimits = { kickoffs: null, requests: null }

export interface BudgetLeft {
  /** Takes one; returns false if none is left. */
  spend(kind: BudgetKind): boolean
  /** What the runs that share it may cost together, where that is measured. */
  cost?: CostBudget | undefined
}

/** Kickoffs count among the requests; so do polls, confirmations and preflights. */
export interface Spent {
  kickoffs: number
  requests: number
}

export const NOTHING_SPENT: Spent = { kickoffs: 0, requests: 0 }

/** Counts down in this thread only. */
export function ownBudget(
  { kickoffs, requests }: BudgetLimits,
  spent: Spent = NOTHING_SPENT,
): BudgetLeft {
  const left = {
    kickoff: (kickoffs ?? Infinity) - spent.kickoffs,
    request: (requests ?? Infinity) - spent.requests,
  }
  return {
    spend: (kind) => {
      if (left[kind] <= 0) return false
      left[kind]--
      return true
    },
  }
}

/** Each request is taken from both. */
export function bothBudgets(own: BudgetLeft, shared: BudgetLeft | undefined): BudgetLeft {
  if (shared === undefined) return own
  return { spend: (kind) => own.spend(kind) && shared.spend(kind) }
}
