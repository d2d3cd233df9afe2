/** The budget of a study over all its trials, what each spends, and what is left of it. */
import type { BudgetLimits, Spent } from '../../../engine/spending.ts'
import { leastOf } from '../../../run/plan/facts.ts'
import type { Plan } from '../../../scenario/plan.ts'
import type { TrialReason } from './reasons.ts'
import { NOTHING_SPENT } from '../../../engine/spending.ts'

export function sumOf(all: readonly Spent[]): Spent {
  return {
    requests: all.reduce((sum, { requests }) => sum + requests, 0),
    kickoffs: all.reduce((sum, { kickoffs }) => sum + kickoffs, 0),
  }
}

/** Returns what is left; never below 0. */
export function leftOf({ requests, kickoffs }: BudgetLimits, spent: Spent): BudgetLimits {
  return {
    requests: requests === null ? null : Math.max(0, requests - spent.requests),
    kickoffs: kickoffs === null ? null : Math.max(0, kickoffs - spent.kickoffs),
  }
}

export function hasRoomFor({ requests, kickoffs }: BudgetLimits, wanted: Spent): boolean {
  return (
    (requests === null || requests >= wanted.requests) &&
    (kickoffs === null || kickoffs >= wanted.kickoffs)
  )
}

/** The budget of a run: its own, limited by what the study has left. */
export function budgetWithin(budget: Plan['budget'], left: BudgetLimits): Plan['budget'] {
  return {
    ...budget,
    requests: leastOf(budget.requests, left.requests),
    kickoffs: leastOf(budget.kickoffs, left.kickoffs),
  }
}

/** Whether the rest of the study's budget is smaller than the scenario's own budget. */
export function isNarrower(left: BudgetLimits, own: BudgetLimits): boolean {
  return isAtMost(left.requests, own.requests) || isAtMost(left.kickoffs, own.kickoffs)
}

function isAtMost(limit: number | null, other: number | null): boolean {
  return limit !== null && (other === null || limit <= other)
}

export interface Account {
  key: string
  runs: number
  folders: string[]
  /** The requests that its runs sent. */
  byRuns: Spent
  /** What it sent outside runs: the announced maximum, and the actual number. */
  reserved: Spent
  sent: Spent
  invalid: TrialReason[]
}

export function newAccount(key: string): Account {
  const nothing = { byRuns: NOTHING_SPENT, reserved: NOTHING_SPENT, sent: NOTHING_SPENT }
  return { key, runs: 0, folders: [], ...nothing, invalid: [] }
}

export function spentBy({ byRuns, sent }: Account): Spent {
  return sumOf([byRuns, sent])
}

export function distrust({ invalid }: Account, reasons: readonly TrialReason[]): void {
  const known = new Set(invalid.map(({ code }) => code))
  invalid.push(...reasons.filter(({ code }) => !known.has(code)))
}
