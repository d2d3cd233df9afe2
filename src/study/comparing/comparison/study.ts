/** The study that compares runs: faster, slower, or nothing proven. */
import type { PlanText } from '../../../report/frame/render/terminal.ts'
import { rounded, undecidedOf, unmeasured } from '../verdict.ts'
import type { Study } from '../../frame/study.ts'
import type { ComparisonDocument } from './document.ts'
import { comparisonSchema } from './document.ts'
import type { ComparisonPlan } from './options.ts'
import { COMPARISON_VERDICTS, comparisonReport } from './report.ts'

export const comparison: Study<ComparisonPlan, ComparisonDocument> = {
  name: 'comparison',
  holds: 'what changed between the runs of two sides, metric by metric, and what of it is proven',
  schema: comparisonSchema,
  whenInterrupted: '',
  planText,
  report: comparisonReport,
  exit: (document) =>
    isUndecided(document) ? 'inconclusive' : COMPARISON_VERDICTS[document.verdict.outcome].exit,
}

/**
 * Whether the question stays open: a side has a single run, the runs cannot decide a judged metric,
 * or equivalence was asked for and not shown.
 */
function isUndecided({ verdict, metrics, ...document }: ComparisonDocument): boolean {
  const { base, new: next, terms } = document
  if (verdict.outcome === 'improvement') return undecidedOf(metrics).length > 0
  const isLonely = base.length < 2 || next.length < 2
  const isOpen = isLonely || undecidedOf(metrics).length > 0 || unmeasured(metrics).length > 0
  return verdict.outcome === 'none-proven' && (isOpen || terms.equivalent !== null)
}

function planText({ base, new: next, judged, terms }: ComparisonPlan): PlanText {
  const margin = terms.equivalent
  return {
    title: 'Plan of the comparison',
    rows: [
      ['base', base.join(', ')],
      ['new', next.join(', ')],
      ['judged', judged.join(', ')],
      [
        'counts',
        `a change of ${rounded(100 * terms.smallestChange)} %, of shares ` +
          `${rounded(100 * terms.smallestDifference)} percentage point`,
      ],
      ...(margin === null
        ? []
        : [['asked', `the same within ${rounded(100 * margin)} %`] as const]),
      ['sends', 'nothing: the runs are read'],
    ],
  }
}
