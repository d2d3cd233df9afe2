/** Counts what is left of the budgets of kickoffs and requests; the engine takes from it. */
import type { BudgetKind } from '../engine/spending.ts'
import type { BudgetPlan } from '../scenario/plan.ts'

/** The part of a budget that requests use up; null is unlimited. */
export type BudgetLimits = Pick<BudgetPlan, 'kickoffs' | 'requests'>

export interface BudgetLeft {
  /** Takes one; returns false if none is left. */
  spend(kind: BudgetKind): boolean
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
