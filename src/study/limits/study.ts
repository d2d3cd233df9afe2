/** The study of limits: which rate limits a target has, and how to poll within them. */
import { formatMs, plural } from '../../base/numbers.ts'
import type { PlanText } from '../../report/frame/render/terminal.ts'
import { placeRow } from '../../run/plan/text.ts'
import { placeNotes } from '../../run/target/place-notes.ts'
import { studyBudgetWords, wayRows, studyOf } from '../frame/study.ts'
import type { LimitsDocument, LimitsPlan } from './document.ts'
import { limitsSchema, MOST_PAUSE_MS } from './document.ts'
import { limitsBody, limitsMark } from './report/report.ts'

export const limits = studyOf<LimitsPlan, LimitsDocument>({
  name: 'limits',
  holds: 'the rate limits of each operation, inferred by experiments, and how to poll within them',
  schema: limitsSchema,
  whenInterrupted: 'the study ends here; what is known is reported',
  planText,
  body: limitsBody,
  mark: limitsMark,
})

function planText(plan: LimitsPlan): PlanText {
  const { place, operations, budget, maxDurationMs, from, steps } = plan
  if (place === null) {
    return {
      title: 'Plan of a limits study, from recorded runs',
      rows: [['runs', from.join(', ')]],
    }
  }
  return {
    title: 'Plan of a limits study',
    rows: [
      placeRow({ ...plan, place }),
      ...wayRows(plan),
      ['operations', operations.join(', ')],
      ['budget', `${studyBudgetWords(budget)}; 140 to 320 requests usually find a limit`],
      ...steps.map((each, i): [string, string] => [`step ${i + 1}`, stepWords(each)]),
      [
        'time',
        maxDurationMs === null
          ? 'in virtual time: nobody waits for a window'
          : `at most ${formatMs(maxDurationMs)}, then it reports what it knows. No pause is longer ` +
            `than ${formatMs(Math.min(MOST_PAUSE_MS, maxDurationMs))}`,
      ],
      [
        'risk',
        'a few requests in a row are refused. Other clients with this token may be refused too, ' +
          'or the token be banned for a time',
      ],
    ],
    notes: placeNotes(plan),
  }
}

/** Each step with what it takes at most. */
function stepWords({ step, requests, kickoffs, about }: LimitsPlan['steps'][number]): string {
  const sent = requests === kickoffs ? plural(kickoffs, 'kickoff') : plural(requests, 'request')
  const paid = kickoffs > 0 && kickoffs < requests ? `, ${kickoffs} of them kickoffs` : ''
  return `${step}: at most ${sent}${paid}; ${about}`
}
