/** Conducts the study of a history: reads its lines, and writes the document of what changed. */
import { readsOnly } from '../../frame/conduct/conducting.ts'
import type { Conducting } from '../../frame/conduct/conducting.ts'
import { analyseHistory } from './analyse.ts'
import type { HistoryDocument } from './document.ts'
import type { HistoryDesign } from './plan.ts'
import type { HistoryOptions, HistoryPlan } from './options.ts'
import { HISTORY } from './options.ts'
import { designHistory } from './plan.ts'
import { history } from './study.ts'

export const conducting: Conducting<HistoryOptions, HistoryDesign, HistoryPlan, HistoryDocument> = {
  study: history,
  table: HISTORY,
  design: designHistory,
  plan: ({ plan }) => plan,
  name: () => 'gates-history',
  ...readsOnly(),
  measure: async ({ design: { history: read, plan }, facts }) =>
    analyseHistory(read, { terms: plan.terms, path: plan.path, facts: facts() }),
}
