/** The study that compares runs: faster, slower, or nothing proven. */
import { formatRoundShare } from '../../../base/numbers.ts'
import type { PlanText } from '../../../report/frame/render/terminal.ts'
import { knownRows } from '../../../report/frame/render/terminal.ts'
import { smallestChangeWords, rounded } from '../sentences.ts'
import { undecidedOf, unmeasured } from '../named-metrics.ts'
import type { ReportBody, VerdictMark } from '../../frame/study.ts'
import { INVALID, studyOf } from '../../frame/study.ts'
import type { ComparisonDocument } from './document.ts'
import { comparisonSchema } from './document.ts'
import type { ComparisonPlan } from './options.ts'
import { knownFacts } from '../../../report/frame/report.ts'
import { changeSections, markOf, metricCase, reasonsBeside, sideWords } from '../sections.ts'

export const comparison = studyOf<ComparisonPlan, ComparisonDocument>({
  name: 'comparison',
  holds: 'what changed between the runs of two sides, metric by metric, and what of it is proven',
  schema: comparisonSchema,
  whenInterrupted: '',
  planText,
  mark: (document) => markOf(COMPARISON_VERDICTS[document.verdict.outcome], document),
  body: comparisonBody,
  exit: (document) =>
    isUndecided(document) ? 'inconclusive' : COMPARISON_VERDICTS[document.verdict.outcome].exit,
})

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
    title: 'Plan of a comparison',
    rows: knownRows(
      ['base', base.join(', ')],
      ['new', next.join(', ')],
      ['judged', judged.join(', ')],
      [
        'counts',
        `a change of ${formatRoundShare(terms.smallestChange)}, of shares ` +
          `${rounded(100 * terms.smallestDifference)} percentage point`,
      ],
      ['asked', margin !== null && `the same within ${formatRoundShare(margin)}`],
      ['sends', 'nothing: the runs are read'],
    ),
  }
}

/** The report of a comparison: what changed, how surely, and what the runs cannot show. */
const COMPARISON_VERDICTS: Record<ComparisonDocument['verdict']['outcome'], VerdictMark> = {
  regression: { word: 'REGRESSION', sign: '✗', tone: 'bad', exit: 'failed' },
  improvement: { word: 'IMPROVEMENT', sign: '✓', tone: 'good', exit: 'passed' },
  equal: { word: 'EQUAL', sign: '✓', tone: 'good', exit: 'passed' },
  'none-proven': { word: 'NOTHING PROVEN', sign: '~', tone: 'doubt', exit: 'passed' },
  'not-comparable': { word: 'NOT COMPARABLE', sign: '!', tone: 'bad', exit: 'inconclusive' },
  invalid: INVALID,
}

function comparisonBody(document: ComparisonDocument): ReportBody {
  const { base, new: next, terms, verdict, metrics } = document
  const { level, equivalent } = terms
  return {
    reasons: reasonsBeside(verdict),
    facts: knownFacts(
      ['Base', sideWords(base)],
      ['New', sideWords(next)],
      [
        'Proven',
        `at ${formatRoundShare(level)} over all judged metrics together, and a change of ` +
          `at least ${smallestChangeWords(terms)}`,
      ],
      [
        'Same',
        equivalent === null
          ? null
          : `where the whole 90 % interval is within ${formatRoundShare(equivalent)}`,
      ],
    ),
    sections: changeSections(document),
    asked: null,
    cases: metrics.filter((metric) => metric.judged).map(metricCase),
  }
}
