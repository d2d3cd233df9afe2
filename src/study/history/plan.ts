/** Plans the study of a history: its options, and the file that it reads; sends nothing. */
import type { Mistake } from '../../base/mistakes.ts'
import { UserError } from '../../base/mistakes.ts'
import { termsOf } from '../frame/comparing/options.ts'
import type { History } from '../frame/comparing/history.ts'
import type { StudyOptions } from '../frame/conduct/conducting.ts'
import { readHistory } from '../frame/conduct/history-file.ts'
import type { HistoryDocument } from './document.ts'

export interface HistoryPlan {
  path: string
  terms: HistoryDocument['terms']
}

export interface HistoryOptions extends StudyOptions<HistoryPlan> {
  /** The folder of a baseline, or its `history.ndjson`. */
  path: string
  /** The smallest change that counts, like `5%`. Default 5 %. */
  smallestChange?: string
}

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
