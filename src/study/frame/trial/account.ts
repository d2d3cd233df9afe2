/** What one trial of a study sends, from the budget of the study, and what came of it. */
import type { Spent } from '../../../engine/budget.ts'
import { RequestBudget, NO_LIMITS, sumOf } from '../../../engine/budget.ts'
import type { TrialReason } from './reasons.ts'

export interface Account {
  key: string
  runs: number
  folders: string[]
  /** The requests that its runs sent. */
  byRuns: RequestBudget
  /** What it sends outside runs: it is reserved before. */
  outside: RequestBudget
  invalid: TrialReason[]
}

export function newAccount(key: string, whole: RequestBudget): Account {
  const part = (): RequestBudget => new RequestBudget(NO_LIMITS, { whole })
  return { key, runs: 0, folders: [], byRuns: part(), outside: part(), invalid: [] }
}

export function spentBy({ byRuns, outside }: Account): Spent {
  return sumOf([byRuns.spent, outside.spent])
}

export function distrust({ invalid }: Account, reasons: readonly TrialReason[]): void {
  const known = new Set(invalid.map(({ code }) => code))
  invalid.push(...reasons.filter(({ code }) => !known.has(code)))
}
