/** Conducts a comparison: reads the runs, and writes the document of what changed. */
import { readsOnly } from '../../frame/conduct/conducting.ts'
import type { Conducting } from '../../frame/conduct/conducting.ts'
import { analyseComparison } from './analyse.ts'
import type { ComparisonDocument } from './document.ts'
import type { ComparisonDesign } from './plan.ts'
import type { ComparisonOptions, ComparisonPlan } from './options.ts'
import { COMPARISON } from './options.ts'
import { designComparison } from './plan.ts'
import { comparison } from './study.ts'

export const conducting: Conducting<
  ComparisonOptions,
  ComparisonDesign,
  ComparisonPlan,
  ComparisonDocument
> = {
  study: comparison,
  table: COMPARISON,
  design: designComparison,
  plan: ({ plan }) => plan,
  name: ({ sides }) => `${sides.new[0]?.result.run.scenario ?? 'runs'}-comparison`,
  ...readsOnly(),
  measure: async ({ design: { sides, plan }, facts }) =>
    analyseComparison(sides, { judged: plan.judged, terms: plan.terms, facts: facts() }),
}
