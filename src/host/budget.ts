/** Hard limits of a run: what may still be sent. */
import type { BudgetKind } from '../engine/underway.ts'

/** Null is unlimited. */
export interface BudgetLimits {
  kickoffs: number | null
  requests: number | null
}

export interface Budget {
  /** Takes one; false when none is left. */
  spend(kind: BudgetKind): boolean
}

/** Counts down in this thread alone. */
export function ownBudget({ kickoffs, requests }: BudgetLimits): Budget {
  const left = { kickoff: kickoffs ?? Infinity, request: requests ?? Infinity }
  return {
    spend: (kind) => {
      if (left[kind] <= 0) return false
      left[kind]--
      return true
    },
  }
}
