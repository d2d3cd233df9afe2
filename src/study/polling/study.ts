/**
 * The study of polling: what each strategy costs over recorded executions, and which one to take.
 */
import { planTextOf } from '../../run/plan/text.ts'
import type { PlanText } from '../../report/frame/render/terminal.ts'
import { studyOf } from '../frame/study.ts'
import { assumptionOf } from './analyse/findings.ts'
import type { PollingDocument } from './document.ts'
import { pollingSchema } from './document.ts'
import type { PollingPlan } from './options.ts'
import { POLLING_VERDICTS, pollingBody, goalWords } from './report/report.ts'
import { FINDINGS } from './sentences/findings.ts'

export const polling = studyOf<PollingPlan, PollingDocument>({
  name: 'polling',
  holds:
    'what polling strategies would cost over recorded executions, and which one is recommended',
  schema: pollingSchema,
  planText,
  body: pollingBody,
  mark: ({ verdict }) => POLLING_VERDICTS[verdict.outcome],
})

function planText({ runs, facts, goal }: PollingPlan): PlanText {
  const asked: [string, string] = ['goal', goalWords(goal)]
  const assumption = assumptionOf(goal)
  const assumed = assumption === null ? [] : [FINDINGS['limits-assumed'].says(assumption)]
  if (facts === null) {
    return {
      title: 'Plan of a polling study',
      rows: [['runs', runs.join(', ')], asked, ['sends', 'nothing: the runs are read']],
      notes: assumed,
    }
  }
  const { title, rows, notes } = planTextOf(facts)
  return {
    title: `${title}, to learn how long executions take`,
    rows: [asked, ...rows],
    notes: [...(notes ?? []), ...assumed],
  }
}
