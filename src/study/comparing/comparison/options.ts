/** The options of a comparison, and its plan. */
import { files } from '../../../base/options/kinds.ts'
import type { OptionsOf, OptionTable } from '../../../base/options/table.ts'
import { OUT } from '../../../run/options.ts'
import { CHANGE } from '../options.ts'
import type { Terms } from '../shapes.ts'
import type { StudyOptions } from '../../frame/conduct/conducting.ts'

export interface ComparisonPlan {
  base: readonly string[]
  new: readonly string[]
  judged: readonly string[]
  terms: Terms
}

export const COMPARISON = {
  /** The run folders, or their `result.json`. */
  base: { takes: files, required: true, kept: true },
  new: { takes: files, required: true, kept: true },
  ...CHANGE,
  out: { ...OUT, help: 'folder in which the comparison is written' },
} satisfies OptionTable

export interface ComparisonOptions
  extends OptionsOf<typeof COMPARISON>, StudyOptions<ComparisonPlan> {}
