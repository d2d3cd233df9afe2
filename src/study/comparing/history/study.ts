/** The study of a history: where the judged metrics of many gates changed. */
import type { PlanText } from '../../../report/frame/render/terminal.ts'
import { rounded } from '../verdict.ts'
import type { Study } from '../../frame/study.ts'
import type { HistoryDocument } from './document.ts'
import { historySchema } from './document.ts'
import type { HistoryPlan } from './options.ts'
import { HISTORY_VERDICTS, historyReport } from './report.ts'

export const history: Study<HistoryPlan, HistoryDocument> = {
  name: 'history',
  holds: 'the judged metrics of many gates over time, and between which gates they changed',
  schema: historySchema,
  whenInterrupted: '',
  planText,
  report: historyReport,
  exit: ({ verdict }) => HISTORY_VERDICTS[verdict.outcome].exit,
}

function planText({ path, terms }: HistoryPlan): PlanText {
  return {
    title: 'Plan of the history',
    rows: [
      ['gates', path],
      ['counts', `a change of ${rounded(100 * terms.smallestChange)} %`],
      ['sends', 'nothing: the gates are read'],
    ],
  }
}
