/** The options of a history, and its plan. */
import { file } from '../../../base/options/kinds.ts'
import type { OptionsOf, OptionTable } from '../../../base/options/table.ts'
import { kept } from '../../../base/options/table.ts'
import { OUT } from '../../../run/options.ts'
import { CHANGE } from '../options.ts'
import type { StudyOptions } from '../../frame/conduct/conducting.ts'
import type { HistoryDocument } from './document.ts'

export interface HistoryPlan {
  path: string
  terms: HistoryDocument['terms']
}

export const HISTORY = {
  path: kept('<folder>', 'folder of a baseline, or its history.ndjson', file, { required: true }),
  smallestChange: CHANGE.smallestChange,
  out: { ...OUT, help: 'folder in which the study is written' },
} satisfies OptionTable

export interface HistoryOptions extends OptionsOf<typeof HISTORY>, StudyOptions<HistoryPlan> {}
