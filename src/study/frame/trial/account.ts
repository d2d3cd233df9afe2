/** Accounts for what one trial sends and finds while it is measured. */
import type { TrialReason } from '../findings.ts'
import type { Spent } from '../../../host/budget.ts'
import { sumOf } from './budget.ts'
import { NOTHING_SPENT } from '../../../host/budget.ts'

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
