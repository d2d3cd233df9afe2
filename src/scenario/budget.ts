/** A budget of time: when kickoffs stop, and when everything does. */
import type { Micros } from '../base/units.ts'
import type { Plan } from './plan.ts'

/** Points on the run's clock; Infinity without a limit. */
export interface BudgetEnds {
  /** No kickoff is sent at or after it. */
  kickoffsMicros: Micros
  /** No request is sent or awaited after it. */
  allMicros: Micros
}

/**
 * Between the two lies the time to drain, or half of the whole where that is less: an execution
 * that nobody can follow to its end is money for nothing.
 */
export function budgetEnds({
  budget,
  drainMicros,
}: Pick<Plan, 'budget' | 'drainMicros'>): BudgetEnds {
  const allMicros = budget.wallMicros ?? Infinity
  const kickoffsMicros = Math.max(allMicros - drainMicros, Math.ceil(allMicros / 2))
  return { kickoffsMicros, allMicros }
}

/**
 * For a run that is gone on with at `nowMicros` of its clock, after so long at work: while nobody
 * worked, no time was spent.
 */
export function withTimeLeft(plan: Plan, workedMicros: Micros, nowMicros: Micros): Plan {
  const { wallMicros } = plan.budget
  if (wallMicros === null) return plan
  const leftMicros = Math.max(0, wallMicros - workedMicros)
  return { ...plan, budget: { ...plan.budget, wallMicros: nowMicros + leftMicros } }
}
