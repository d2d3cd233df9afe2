/** Conducts the study of a history: reads its lines, and writes the document of what changed. */
import { readsOnly } from '../../frame/conduct/conducting.ts'
import { conductStudy } from '../../frame/conduct/conduct.ts'
import type { Conducting, StudyOutcome } from '../../frame/conduct/conducting.ts'
import { resumable } from '../../frame/conduct/resume.ts'
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

/** Reads the history of gates and says where it changed. Throws as `conductStudy`. */
export async function readTrends(options: HistoryOptions): Promise<StudyOutcome<HistoryDocument>> {
  return conductStudy(conducting, options)
}

export const resumeHistory = resumable(conducting)
