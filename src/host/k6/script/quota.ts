/** A budget divided into fixed shares: instances in k6 share no memory. */
import { partOf } from '../../../engine/instance-share.ts'
import type { InstanceShare } from '../../../engine/instance-share.ts'
import type { BudgetLimits } from '../../budget.ts'

/** The shares of all instances sum to the whole; a limit below 0 is spent. */
export function quotaOf({ kickoffs, requests }: BudgetLimits, share: InstanceShare): BudgetLimits {
  const part = (whole: number | null): number | null =>
    whole === null ? null : partOf(Math.max(0, whole), share)
  return { kickoffs: part(kickoffs), requests: part(requests) }
}
