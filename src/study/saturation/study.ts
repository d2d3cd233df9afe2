/** The study of saturation: the closed-loop ceiling of one endpoint, by a ladder of connections. */
import { formatCount, formatMostMs, formatMs } from '../../base/numbers.ts'
import type { PlanText } from '../../report/frame/render/terminal.ts'
import { placeRow } from '../../run/plan/text.ts'
import { placeNotes } from '../../run/target/place-notes.ts'
import { wayRows, studyOf } from '../frame/study.ts'
import type { SaturationDocument, SaturationPlan } from './document.ts'
import { ENDPOINTS, saturationSchema } from './document.ts'
import { SATURATION_VERDICTS, saturationBody } from './report/report.ts'

export const saturation = studyOf<SaturationPlan, SaturationDocument>({
  name: 'saturation',
  holds: 'the closed-loop ceiling of one endpoint by a ladder of connections',
  schema: saturationSchema,
  whenInterrupted: 'the ladder ends here; the completed visits are reported',
  planText,
  body: saturationBody,
  mark: ({ verdict }) => SATURATION_VERDICTS[verdict.outcome],
})

function planText(plan: SaturationPlan): PlanText {
  const { endpoint, ladder, repeats, rungMs, warmUpMs, timeoutMs, budget } = plan
  const visits = repeats * ladder.length
  const totalMs = visits * (rungMs + warmUpMs)
  const mostMs = totalMs + visits * 2 * timeoutMs
  return {
    title: `Plan of a saturation study of ${ENDPOINTS[endpoint]}`,
    rows: [
      placeRow(plan),
      ...wayRows(plan),
      [
        'ladder',
        `${ladder.map(formatCount).join(', ')} connections, each sending its next ` +
          'request as soon as it is answered',
      ],
      [
        'visits',
        repeats === 1
          ? '1 of each rung: the intervals will cover this one visit only'
          : `${formatCount(repeats)} of each rung, first in this order, then shuffled` +
            (budget.requests === null ? '' : ', as far as the budget goes'),
      ],
      [
        'duration',
        `${formatMs(rungMs)} per visit, about ${formatMs(totalMs)} in all (at most ` +
          `${formatMostMs(mostMs)}, where requests hang)`,
      ],
      ['kickoffs', kickoffWords(plan)],
      [
        'requests',
        budget.requests === null ? 'no limit' : `at most ${formatCount(budget.requests)}`,
      ],
    ],
    notes: placeNotes(plan),
  }
}

function kickoffWords({ endpoint, budget }: SaturationPlan): string {
  if (endpoint === 'kickoff') {
    return `at most ${formatCount(budget.kickoffs ?? 0)}, each may cost money`
  }
  return endpoint === 'status' ? 'at most 1' : 'none'
}
