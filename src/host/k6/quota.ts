/** A budget shared out in fixed parts: instances in k6 share no memory. */
import type { BudgetLimits } from '../budget.ts'

/** The part of instance i of n, from 0; the parts sum to the whole. */
export function quotaOf(limits: BudgetLimits, instance: number, instances: number): BudgetLimits {
  const part = (whole: number | null): number | null => {
    if (whole === null) return null
    const even = Math.floor(Math.max(0, whole) / instances)
    return instance < Math.max(0, whole) % instances ? even + 1 : even
  }
  return { kickoffs: part(limits.kickoffs), requests: part(limits.requests) }
}
