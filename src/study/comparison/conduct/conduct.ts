/** Conducts a comparison: reads the runs, and writes the document of what changed. */
import { readsOnly } from '../../frame/conduct/conducting.ts'
import { z } from 'zod'
import { conductStudy } from '../../frame/conduct/conduct.ts'
import type { Conducting, StudyOutcome } from '../../frame/conduct/conducting.ts'
import { text } from '../../frame/conduct/kept-options.ts'
import { resumable } from '../../frame/conduct/resume.ts'
import { analyseComparison } from '../analyse/analyse.ts'
import type { ComparisonDocument } from '../document.ts'
import type { ComparisonDesign, ComparisonOptions, ComparisonPlan } from '../plan.ts'
import { designComparison } from '../plan.ts'
import { comparison } from '../study.ts'

const kept = z.object({
  base: z.array(z.string()),
  new: z.array(z.string()),
  metrics: text,
  smallestChange: text,
  equivalent: text,
})

const conducting: Conducting<
  ComparisonOptions,
  ComparisonDesign,
  ComparisonPlan,
  ComparisonDocument
> = {
  study: comparison,
  kept,
  design: designComparison,
  plan: ({ plan }) => plan,
  name: ({ sides }) => `${sides.new[0]?.result.run.scenario ?? 'runs'}-comparison`,
  ...readsOnly(),
  measure: async ({ design: { sides, plan }, facts }) =>
    analyseComparison(sides, { judged: plan.judged, terms: plan.terms, facts: facts() }),
}

/** Reads the runs of both sides and says what changed. Throws as `conductStudy`. */
export async function compareRuns(
  options: ComparisonOptions,
): Promise<StudyOutcome<ComparisonDocument>> {
  return conductStudy(conducting, options)
}

export const resumeComparison = resumable(conducting)
