/** The study that learns a twin: a fake crew that behaves as a crew did in recorded runs. */
import type { PlanText } from '../../report/frame/render/terminal.ts'
import { studyOf } from '../frame/study.ts'
import type { TwinDocument } from './document.ts'
import { twinSchema } from './document.ts'
import type { TwinPlan } from './options.ts'
import { TWIN_VERDICTS, twinBody } from './report/report.ts'

export const twin = studyOf<TwinPlan, TwinDocument>({
  name: 'twin',
  holds:
    'what recorded runs show about a crew, and the profile of a fake crew that behaves like it',
  schema: twinSchema,
  whenInterrupted: 'the twin is compared by the replays that were made',
  planText,
  body: twinBody,
  mark: ({ verdict }) => TWIN_VERDICTS[verdict.outcome],
})

function planText({ runs, file, replays }: TwinPlan): PlanText {
  return {
    title: 'Plan of a twin',
    rows: [
      ['runs', runs.join(', ')],
      ['profile', file ?? 'only in the document'],
      ['compared', replays === 0 ? 'not with the runs' : 'by replaying the runs on the twin'],
      ['sends', 'nothing: the runs are read'],
    ],
  }
}
