/** The study that compares runs: faster, slower, or nothing proven. */
import type { PlanText } from '../../../report/frame/render/terminal.ts'
import { rounded, undecidedOf, unmeasured } from '../verdict.ts'
import type { Study, VerdictMark } from '../../frame/study.ts'
import type { ComparisonDocument } from './document.ts'
import { comparisonSchema } from './document.ts'
import type { ComparisonPlan } from './options.ts'
import type { Fact, Report } from '../../../report/frame/report.ts'
import { changeSections, markOf, metricCase, reasonsBeside, sideWords } from '../sections.ts'
import { headlineOf, toolWords, reportFiles, INVALID } from '../../frame/study.ts'

/** The report of a comparison: what changed, how surely, and what the runs cannot show. */
const COMPARISON_VERDICTS: Record<ComparisonDocument['verdict']['outcome'], VerdictMark> = {
  regression: { word: 'REGRESSION', sign: '✗', tone: 'bad', exit: 'failed' },
  improvement: { word: 'IMPROVEMENT', sign: '✓', tone: 'good', exit: 'passed' },
  equal: { word: 'EQUAL', sign: '✓', tone: 'good', exit: 'passed' },
  'none-proven': { word: 'NOTHING PROVEN', sign: '~', tone: 'doubt', exit: 'passed' },
  'not-comparable': { word: 'NOT COMPARABLE', sign: '!', tone: 'bad', exit: 'inconclusive' },
  invalid: INVALID,
}

function comparisonReport(document: ComparisonDocument): Report {
  const { verdict, findings, command, startedAt, durationMs, profile, target } = document
  return {
    title: 'comparison',
    headline: headlineOf(markOf(COMPARISON_VERDICTS[verdict.outcome], document), verdict.sentence),
    reasons: reasonsBeside(verdict),
    findings,
    facts: facts(document),
    sections: changeSections(document),
    files: reportFiles('comparison'),
    command,
    origin: { target: profile ?? target, startedAt, durationMs, tool: toolWords(document) },
    cases: document.metrics.filter((metric) => metric.judged).map(metricCase),
  }
}

function facts({ base, new: next, terms }: ComparisonDocument): Fact[] {
  const { smallestChange, smallestDifference, level, equivalent } = terms
  return [
    { name: 'Base', text: sideWords(base) },
    { name: 'New', text: sideWords(next) },
    {
      name: 'Proven',
      text:
        `at ${rounded(100 * level)} % over all judged metrics together, and a change of at ` +
        `least ${rounded(100 * smallestChange)} % (shares: ${rounded(100 * smallestDifference)} ` +
        'percentage point)',
    },
    ...(equivalent === null
      ? []
      : [
          {
            name: 'Same',
            text: `where the whole 90 % interval is within ${rounded(100 * equivalent)} %`,
          },
        ]),
  ]
}

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
