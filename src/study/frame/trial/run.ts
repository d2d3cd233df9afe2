/** One run within a trial: it spends from the study's budget. */
import type { JournalLine } from '../../../execution/record/journal-lines.ts'
import type { CarriedRun, RunOrder } from '../../../run/carry.ts'
import { carryRun } from '../../../run/carry.ts'
import type { RunFolder } from '../../../run/folder/folder.ts'
import { requestsOfPreflight } from '../../../run/target/preflight.ts'
import type { Spent } from '../../../host/budget.ts'
import { Spending } from './spending.ts'

export interface TrialRun extends RunOrder {
  /** The name of its folder, beside the study's document. Default: `run-1`, `run-2`, ... */
  folder?: string
}

export interface SpentRun extends CarriedRun {
  spent: Spent
  /** Whether its budget of kickoffs or requests refused a request. */
  budgetSpent: boolean
}

/** As `carryRun`; counts what was sent. */
export async function carryTrialRun(run: TrialRun, folder: RunFolder | null): Promise<SpentRun> {
  const spending = new Spending(requestsOfPreflight({ tokens: run.options.tokens ?? [] }))
  let budgetSpent = false
  const onLine = (line: JournalLine): void => {
    spending.saw(line)
    budgetSpent ||= isBudgetSpent(line)
    run.onLine?.(line)
  }
  const end = await carryRun({ ...run, onLine }, folder)
  return { ...end, spent: spending.spent, budgetSpent }
}

/** Of kickoffs or requests, which may be shared with other trials; not of time. */
function isBudgetSpent(line: JournalLine): boolean {
  if (line.type !== 'finding' || line.finding.kind !== 'note') return false
  const { note } = line.finding
  return note.code === 'budget-spent' && (note.budget === 'kickoff' || note.budget === 'request')
}
