/** Conducts the study of a history: reads its lines, and writes the document of what changed. */
import type { Conducting } from '../../frame/conduct/conducting.ts'
import { readsOnly } from '../../frame/conduct/conducting.ts'
import { analyseHistory } from './analyse.ts'
import type { HistoryDocument } from './document.ts'
import type { HistoryOptions, HistoryPlan } from './options.ts'
import { HISTORY } from './options.ts'
import { history } from './study.ts'
import type { Mistake } from '../../../base/mistakes.ts'
import { UserError } from '../../../base/mistakes.ts'
import { termsOf } from '../options.ts'
import type { History } from '../history.ts'
import { readHistory } from '../gate-files.ts'

export const conducting: Conducting<HistoryOptions, HistoryDesign, HistoryPlan, HistoryDocument> = {
  study: history,
  table: HISTORY,
  design: designHistory,
  plan: ({ plan }) => plan,
  name: () => 'gates-history',
  ...readsOnly,
  measure: async ({ design: { history: read, plan }, facts }) =>
    analyseHistory(read, { terms: plan.terms, path: plan.path, facts: facts() }),
}

interface HistoryDesign {
  plan: HistoryPlan
  history: History
}

/** Throws UserError with every mistake. */
async function designHistory(options: HistoryOptions): Promise<HistoryDesign> {
  const mistakes: Mistake[] = []
  const terms = termsOf(options, mistakes)
  if (mistakes.length > 0) throw new UserError(mistakes)
  const { path } = options
  return { plan: { path, terms }, history: await readHistory(path) }
}
