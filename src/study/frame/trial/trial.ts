/** The interface of a trial to its measurement: what it may send, and how. */
import type { TrialReason } from './reasons.ts'
import type { BudgetLimits, Spent } from '../../../engine/sending-budget.ts'
import type { SpentRun, TrialRun } from './run.ts'
import { SendingBudget, NO_LIMITS, sumOfSpent } from '../../../engine/sending-budget.ts'

export interface TrialRunEnd extends SpentRun {
  /** Whether the run was stopped, or ran out of budget: then it measured only a part. */
  isCut: boolean
}

/**
 * A trial measures by runs of a scenario, by its own requests, or by both. All of them are taken
 * from the one budget of the study.
 */
export interface Trial {
  /** Aborts when the study is stopped in any way, or its target is lost. */
  readonly signal: AbortSignal
  /** The rest of the study's budget, without what this trial has reserved or sent. */
  readonly left: BudgetLimits
  /**
   * Carries out a run to its end, within the rest of the budget and the scenario's own. Null when
   * no run could begin: the study was stopped, its target lost, or the budget is too small for the
   * expected kickoffs of the run.
   */
  run(run: TrialRun): Promise<TrialRunEnd | null>
  /**
   * Must be called before requests outside a run: when it returns, they are recorded in the study's
   * folder, so that a kill cannot hide them from the budget. `most` is an upper bound; kickoffs
   * count among the requests. False when the budget is too small: then nothing may be sent, and the
   * study ends by its budget.
   */
  reserve(most: Spent): Promise<boolean>
  /**
   * Ends the study by its budget, because the rest is too small for the next request. Returns null,
   * for the measurement that is not made.
   */
  outOfBudget(): null
  /**
   * Reports what was actually sent, of what was reserved or where there is no limit. Calls add up.
   */
  sent(count: Spent): void
  /** Marks the measurement as untrustworthy. */
  distrust(reasons: readonly TrialReason[]): void
}

/** What one trial of a study sends, from the budget of the study, and what came of it. */
export interface Account {
  key: string
  runs: number
  folders: string[]
  /** The requests that its runs sent. */
  byRuns: SendingBudget
  /** What it sends outside runs: it is reserved before. */
  outside: SendingBudget
  invalid: TrialReason[]
}

export function newAccount(key: string, whole: SendingBudget): Account {
  const part = (): SendingBudget => new SendingBudget(NO_LIMITS, { whole })
  return { key, runs: 0, folders: [], byRuns: part(), outside: part(), invalid: [] }
}

export function spentBy({ byRuns, outside }: Account): Spent {
  return sumOfSpent([byRuns.spent, outside.spent])
}

export function distrust({ invalid }: Account, reasons: readonly TrialReason[]): void {
  const known = new Set(invalid.map(({ code }) => code))
  invalid.push(...reasons.filter(({ code }) => !known.has(code)))
}
