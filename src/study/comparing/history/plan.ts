/** Plans the study of a history: reads its file; sends nothing. */
import type { Mistake } from '../../../base/mistakes.ts'
import { UserError } from '../../../base/mistakes.ts'
import { termsOf } from '../options.ts'
import type { History } from '../history.ts'
import { readHistory } from '../gate-files.ts'
import type { HistoryOptions, HistoryPlan } from './options.ts'

export interface HistoryDesign {
  plan: HistoryPlan
  history: History
}

/** Throws UserError with every mistake. */
export async function designHistory(options: HistoryOptions): Promise<HistoryDesign> {
  const mistakes: Mistake[] = []
  const { equivalent: _, ...terms } = termsOf(options, mistakes)
  if (mistakes.length > 0) throw new UserError(mistakes)
  const { path } = options
  return { plan: { path, terms }, history: await readHistory(path) }
}
