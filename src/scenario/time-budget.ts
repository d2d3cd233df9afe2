/** A budget of time: when kickoffs stop, and when everything stops. */
import type { Micros } from '../base/units.ts'
import type { Plan } from './plan.ts'

/** Times on the run's clock; Infinity without a limit. */
export interface BudgetEnds {
  /** No kickoff is sent at or after this time. */
  kickoffsMicros: Micros
  /** No request is sent or awaited after this time. */
  allMicros: Micros
}

/**
 * Between the two is the time to drain, or half of the total if that is less: an execution that
 * cannot be followed to its end is money wasted.
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
 * The plan of a run that is resumed at `nowMicros` of its clock after `workedMicros` of work: the
 * time between does not count.
 */
export function withTimeLeft(plan: Plan, workedMicros: Micros, nowMicros: Micros): Plan {
  const { wallMicros } = plan.budget
  if (wallMicros === null) return plan
  const leftMicros = Math.max(0, wallMicros - workedMicros)
  return { ...plan, budget: { ...plan.budget, wallMicros: nowMicros + leftMicros } }
}
