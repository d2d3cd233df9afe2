/** The report of a gate: the decision, what changed, and what is excluded. */
import { plural } from '../../../base/numbers.ts'
import { unreachable } from '../../../base/assert.ts'
import type { Fact, Report, Section } from '../../../report/frame/report.ts'
import type { Table } from '../../../report/frame/table.ts'
import { changeSections, markOf, metricCase, reasonsBeside, sideWords } from '../sections.ts'
import { rounded } from '../verdict.ts'
import type { VerdictMark } from '../../frame/study.ts'
import { headlineOf, INCONCLUSIVE, originOf, reportFiles } from '../../frame/study.ts'
import type { Bound, GateDocument, GateTerms } from './document.ts'

export const DECISIONS: Record<GateDocument['decision'], VerdictMark> = {
  pass: { word: 'PASS', sign: '✓', tone: 'good', exit: 'passed' },
  fail: { word: 'FAIL', sign: '✗', tone: 'bad', exit: 'failed' },
  inconclusive: INCONCLUSIVE,
  baseline: { word: 'BASELINE', sign: '~', tone: 'doubt', exit: 'passed' },
}

export function gateReport(document: GateDocument): Report {
  const { decision, verdict, findings, command } = document
  return {
    title: 'gate',
    headline: headlineOf(markOf(DECISIONS[decision], document), verdict.sentence),
    reasons: reasonsBeside(verdict),
    findings,
    facts: facts(document),
    sections: isEmpty(document) ? [] : sections(document),
    files: reportFiles('gate', { cases: 'the decision for a CI server' }),
    command,
    origin: originOf(document),
    cases: [
      decisionCase(document),
      ...document.metrics.filter(({ judged }) => judged).map(metricCase),
    ],
  }
}

/** Whether one of the sides has no runs, so that nothing can be compared. */
function isEmpty({ base, new: next }: GateDocument): boolean {
  return base.length === 0 || next.length === 0
}

function facts(document: GateDocument): Fact[] {
  const { base, new: next, terms, baseline, commit, decision } = document
  const written = baseline?.written ?? 0
  return [
    ...(base.length === 0 ? [] : [{ name: 'Baseline', text: sideWords(base) }]),
    ...(next.length === 0 ? [] : [{ name: 'Candidate', text: sideWords(next) }]),
    ...(commit === null ? [] : [{ name: 'Commit', text: commit }]),
    ...(decision === 'baseline' ? [] : rules(terms)),
    ...(written === 0 || decision === 'baseline'
      ? []
      : [
          {
            name: 'Written',
            text: `${plural(written, 'run')} of the candidate ${written === 1 ? 'is' : 'are'} the new baseline`,
          },
        ]),
  ]
}

function rules({ level, looks, ...terms }: GateTerms): Fact[] {
  const { smallestChange, smallestDifference, margin, marginDifference, carryOver } = terms
  const when = looks.map(({ at }) => String(at)).join(', ')
  return [
    {
      name: 'FAIL',
      text:
        `a regression of at least ${rounded(100 * smallestChange)} % (shares: ` +
        `${rounded(100 * smallestDifference)} percentage point), proven at ` +
        `${rounded(100 * level)} % over all judged metrics and looks together`,
    },
    {
      name: 'PASS',
      text:
        `a regression of ${rounded(100 * margin)} % (shares: ${rounded(100 * marginDifference)} ` +
        `percentage points) is excluded of each judged metric, at ${rounded(100 * level)} %`,
    },
    { name: 'Interim analyses', text: `after ${when} runs per side`, on: ['page'] },
    ...(carryOver === true ? [{ name: 'Order', text: ORDER, on: ['page' as const] }] : []),
  ]
}

const ORDER =
  'the baseline was made before the candidate, so intervals of times allow for runs that ' +
  'resemble the run before'

/** The section on what is excluded follows directly the one on what changed. */
function sections(document: GateDocument): Section[] {
  const [judged, ...others] = changeSections(document)
  return [...(judged === undefined ? [] : [judged]), excluded(document), ...others]
}

function excluded({ bounds, terms, decision }: GateDocument): Section {
  const areNeeded = bounds.some(({ moreRuns }) => moreRuns !== null)
  const table: Table = {
    kind: 'table',
    columns: [
      { title: 'Metric', kind: 'code' },
      { title: 'Worse by at most', kind: 'unit' },
      { title: 'Margin', kind: 'unit' },
      ...(areNeeded ? [{ title: 'Runs still needed', kind: 'bound' as const }] : []),
    ],
    rows: bounds.map((bound) => [
      bound.name,
      bound.excluded
        ? sizeWords(bound.worst, bound)
        : { text: sizeWords(bound.worst, bound), tone: 'doubt' },
      sizeWords(bound.unit === 'share' ? terms.marginDifference : terms.margin, bound),
      ...(areNeeded ? [moreWords(bound)] : []),
    ]),
    empty: null,
    stacks: true,
  }
  const title =
    decision === 'fail' ? 'How large each regression may be' : 'Largest regression still possible'
  return { title, blocks: [table] }
}

function moreWords({ moreRuns }: Bound): string {
  return moreRuns === null ? '' : `+${Math.max(1, moreRuns)}`
}

function sizeWords(size: number | null, { unit }: Bound): string {
  if (size === null) return '?'
  // A negative bound excludes every regression: even the least favourable change is an improvement.
  return `${rounded(100 * size).replace('-', '−')} ${unit === 'share' ? 'pp' : '%'}`
}

function decisionCase({ decision, verdict }: GateDocument): Report['cases'][number] {
  const message = verdict.sentence
  switch (decision) {
    case 'fail':
      return { name: 'gate', result: { kind: 'failure', message } }
    case 'inconclusive':
      return { name: 'gate', result: { kind: 'error', message } }
    case 'baseline':
    case 'pass':
      return { name: 'gate', result: { kind: 'passed' } }
    default:
      return unreachable(decision)
  }
}
