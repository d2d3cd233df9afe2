/** Conducts the study of a history: reads its lines, and writes the document of what changed. */
import { readsOnly } from '../frame/conduct/conducting.ts'
import { z } from 'zod'
import { conductStudy } from '../frame/conduct/conduct.ts'
import type { Conducting, StudyOutcome } from '../frame/conduct/conducting.ts'
import { text } from '../frame/conduct/kept-options.ts'
import { resumable } from '../frame/conduct/resume.ts'
import { analyseHistory } from './analyse/analyse.ts'
import type { HistoryDocument } from './document.ts'
import type { HistoryDesign, HistoryOptions, HistoryPlan } from './plan.ts'
import { designHistory } from './plan.ts'
import { history } from './study.ts'

const conducting: Conducting<HistoryOptions, HistoryDesign, HistoryPlan, HistoryDocument> = {
  study: history,
  kept: z.object({ path: z.string(), smallestChange: text }),
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
