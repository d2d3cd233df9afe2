/** Counts what is left of the budgets of kickoffs and requests; the engine takes from it. */
import type { BudgetKind } from '../engine/spending.ts'

/** Null is unlimited. */
export interface BudgetLimits {
  kickoffs: number | null
  requests: number | null
}

export interface BudgetLeft {
  /** Takes one; returns false if none is left. */
  spend(kind: BudgetKind): boolean
}

/** The requests and kickoffs that a former process of the same run has spent. */
export interface Spent {
  kickoffs: number
  requests: number
}

const NOTHING_SPENT: Spent = { kickoffs: 0, requests: 0 }

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
