/** Conducts a comparison: reads the runs, and writes the document of what changed. */
import type { Conducting } from '../../frame/conduct/conducting.ts'
import { readsOnly } from '../../frame/conduct/conducting.ts'
import { analyseComparison } from './analyse.ts'
import type { ComparisonDocument } from './document.ts'
import type { ComparisonOptions, ComparisonPlan } from './options.ts'
import { COMPARISON } from './options.ts'
import { comparison } from './study.ts'
import type { Mistake } from '../../../base/mistakes.ts'
import { addedTo, UserError } from '../../../base/mistakes.ts'
import { judgedMetrics, shareOptionOf, termsOf } from '../options.ts'
import type { ComparedSides, StoredResult } from '../comparable.ts'
import { readResult } from '../../frame/conduct/results.ts'

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
  ...readsOnly,
  measure: async ({ design: { sides, plan }, facts }) =>
    analyseComparison(sides, { judged: plan.judged, terms: plan.terms, facts: facts() }),
}

interface ComparisonDesign {
  plan: ComparisonPlan
  sides: ComparedSides
}

/** Throws UserError with every mistake. */
async function designComparison(options: ComparisonOptions): Promise<ComparisonDesign> {
  const mistakes: Mistake[] = []
  const terms = {
    ...termsOf(options, mistakes),
    equivalent: shareOptionOf('--equivalent', options.equivalent, mistakes),
  }
  const base = await readSide(options.base, 'BASE', mistakes)
  const next = await readSide(options.new, 'NEW', mistakes)
  const sides = { base, new: next }
  const judged = judgedMetrics(options, [...base, ...next], mistakes)
  mistakes.push(...twice(sides))
  if (mistakes.length > 0) throw new UserError(mistakes)
  return { plan: { base: options.base, new: options.new, judged, terms }, sides }
}

async function readSide(
  paths: readonly string[],
  side: string,
  mistakes: Mistake[],
): Promise<StoredResult[]> {
  if (paths.length === 0) {
    mistakes.push({ source: side, problem: 'expected at least one run folder' })
  }
  const read: StoredResult[] = []
  for (const folder of paths) {
    const result = await readResult(folder).catch(addedTo(mistakes))
    if (result !== null) read.push({ folder, result })
  }
  return read
}

/** Finds runs that are named on both sides, or twice on one, since they would count as two. */
function twice({ base, new: next }: ComparedSides): Mistake[] {
  const seen = new Map<string, string>()
  return [...base, ...next].flatMap(({ folder, result: { run } }) => {
    const known = seen.get(run.id)
    seen.set(run.id, folder)
    if (known === undefined || run.id === '') return []
    return [{ source: folder, problem: `is the same run as ${known} (id ${run.id})` }]
  })
}
