/** The report of a comparison: what changed, how surely, and what the runs cannot show. */
import type { Fact, Report } from '../../../report/frame/report.ts'
import { changeSections, markOf, metricCase, reasonsBeside, sideWords } from '../sections.ts'
import { rounded } from '../verdict.ts'
import type { VerdictMark } from '../../frame/study.ts'
import { headlineOf, toolWords, reportFiles, INVALID } from '../../frame/study.ts'
import type { ComparisonDocument } from './document.ts'

export const COMPARISON_VERDICTS: Record<ComparisonDocument['verdict']['outcome'], VerdictMark> = {
  regression: { word: 'REGRESSION', sign: '✗', tone: 'bad', exit: 'failed' },
  improvement: { word: 'IMPROVEMENT', sign: '✓', tone: 'good', exit: 'passed' },
  equal: { word: 'EQUAL', sign: '✓', tone: 'good', exit: 'passed' },
  'none-proven': { word: 'NOTHING PROVEN', sign: '~', tone: 'doubt', exit: 'passed' },
  'not-comparable': { word: 'NOT COMPARABLE', sign: '!', tone: 'bad', exit: 'inconclusive' },
  invalid: INVALID,
}

export function comparisonReport(document: ComparisonDocument): Report {
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
