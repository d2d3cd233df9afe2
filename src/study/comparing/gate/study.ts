/** The study that gates a candidate: worse than its baseline, not worse, or not known. */
import { unreachable } from '../../../base/assert.ts'
import {
  formatCount,
  formatMostMs,
  formatMs,
  formatRoundShare,
  inNumber,
  plural,
} from '../../../base/numbers.ts'
import type { PlanText } from '../../../report/frame/render/terminal.ts'
import { knownRows } from '../../../report/frame/render/terminal.ts'
import { placeRow, planTextOf, requestWords } from '../../../run/plan/text.ts'
import { smallestChangeWords, percentOf, signedBelow } from '../sentences.ts'
import type { ReportBody, VerdictMark } from '../../frame/study.ts'
import { INCONCLUSIVE, studyReportFiles, studyOf } from '../../frame/study.ts'
import type { GateDocument } from './document.ts'
import { gateSchema } from './document.ts'
import type { GatePlan, GateTotal } from './plan/outline.ts'
import type { Bound, GateTerms } from './sentences.ts'
import { lostWords } from './sentences.ts'
import type { Fact, Report, Section } from '../../../report/frame/report.ts'
import { knownFacts } from '../../../report/frame/report.ts'
import type { Table, TableCell } from '../../../report/text/table.ts'
import { tableOf } from '../../../report/text/table.ts'
import { changeSections, markOf, metricCase, reasonsBeside, sideWords } from '../sections.ts'

export const gate = studyOf<GatePlan, GateDocument>({
  name: 'gate',
  holds: 'whether a candidate is worse than its baseline, metric by metric, and how surely',
  schema: gateSchema,
  planText,
  mark: (document) => markOf(DECISIONS[document.decision], document),
  body: gateBody,
  undecided: { decision: 'inconclusive' },
  exit: ({ decision, ended }) => {
    if (ended === 'interrupted') return 'interrupted'
    return decision === 'inconclusive' && ended === 'target'
      ? 'unreachable'
      : DECISIONS[decision].exit
  },
})

function planText(plan: GatePlan): PlanText {
  const { facts, base, judged, terms, total, updateBaseline, starts } = plan
  const { title, rows, notes } = planTextOf(facts)
  const looks = terms.looks.map(({ at }) => String(at)).join(', ')
  return {
    title: `${title}, as a gate`,
    rows: knownRows(
      ['baseline', baseWords(base)],
      [
        'runs',
        `${runsWords(base, terms.runs)}; looks after ${looks}, and stops as soon as one of ` +
          'the two is certain',
      ],
      ['in all', totalWords(total)],
      ['base start', starts.base],
      ['start', starts.new],
      ['judged', judged.join(', ')],
      [
        'decides',
        `FAIL if ${formatRoundShare(terms.smallestChange)} worse or more, PASS if ` +
          `${formatRoundShare(terms.margin)} is excluded`,
      ],
      ['sees', plan.sees.length > 0 && seesWords(plan.sees)],
      ['then', updateBaseline && updateWords(updateBaseline)],
      ...rows,
    ),
    notes: [
      ...(notes ?? []),
      'kickoffs, requests, duration and cost are of one run; "in all" and the budget cover all runs',
      ...(total.affordable === null
        ? []
        : [
            `the budget allows ${total.affordable} of ${plural(total.runs, 'run')}: the gate will be ` +
              'cut there, and mostly ends INCONCLUSIVE',
          ]),
    ],
  }
}

/** What a person says yes to. */
function totalWords({
  runs,
  kickoffs,
  cost,
  durationMs,
  mostDurationMs,
  ...total
}: GateTotal): string {
  const requestsInAll = requestWords(total)
  return [
    `at most ${plural(runs, 'run')}`,
    kickoffs === null ? 'kickoffs unknown' : plural(kickoffs, 'kickoff'),
    requestsInAll === null ? 'requests unknown' : `requests: ${requestsInAll}`,
    cost === null ? 'cost unknown' : `cost ${formatCount(cost)}`,
    durationMs === null
      ? `at most ${formatMostMs(mostDurationMs)}`
      : `${formatMs(durationMs)} of arrivals (at most ${formatMostMs(mostDurationMs)})`,
  ].join(', ')
}

/** Which change the planned runs find four times in five. */
function seesWords(sees: GatePlan['sees']): string {
  const each = sees.map(({ name, change }) => `${name ?? 'times'} from ${formatRoundShare(change)}`)
  const by =
    sees[0]?.name === null ? 'at 3 % of noise between runs' : 'by the spread of the baseline'
  return `changes of ${each.join(', ')}, four times in five, ${by}`
}

function baseWords(base: GatePlan['base']): string {
  switch (base.kind) {
    case 'stored':
      return `${plural(base.runs, 'run')} in ${base.folder}`
    case 'none':
      return `none in ${base.folder}: this gate writes it, and compares nothing${lostWords(base)}`
    case 'turns':
      return `${placeRow(base)[1]}, alternately with the candidate`
    default:
      return unreachable(base)
  }
}

function runsWords({ kind }: GatePlan['base'], runs: number): string {
  if (kind === 'none') return `${runs} of the candidate`
  return kind === 'turns' ? `at most ${runs} of each side` : `at most ${runs} of the candidate`
}

function updateWords(when: 'pass' | 'always'): string {
  return `the candidate’s runs become the baseline${when === 'pass' ? ' where it passes' : ''}`
}

/** The report of a gate: the decision, what changed, and what is excluded. */
const DECISIONS: Record<GateDocument['decision'], VerdictMark> = {
  pass: { word: 'PASS', sign: '✓', tone: 'good', exit: 'passed' },
  fail: { word: 'FAIL', sign: '✗', tone: 'bad', exit: 'failed' },
  inconclusive: INCONCLUSIVE,
  baseline: { word: 'BASELINE', sign: '~', tone: 'doubt', exit: 'passed' },
}

function gateBody(document: GateDocument): ReportBody {
  return {
    reasons: reasonsBeside(document.verdict),
    facts: facts(document),
    sections: isEmpty(document) ? [] : sections(document),
    files: studyReportFiles('gate', { cases: 'the decision for a CI server' }),
    asked: null,
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
  const isFirst = decision === 'baseline'
  const news = `${plural(written, 'run')} of the candidate ${inNumber(written, 'is', 'are')} the new baseline`
  return [
    ...knownFacts(
      ['Base', base.length === 0 ? null : sideWords(base)],
      ['New', next.length === 0 ? null : sideWords(next)],
      ['Commit', commit],
    ),
    ...(isFirst ? [] : rules(terms)),
    ...knownFacts(['Written', written === 0 || isFirst ? null : news]),
  ]
}

function rules({ level, looks, ...terms }: GateTerms): Fact[] {
  const { margin, marginDifference, carryOver } = terms
  const when = looks.map(({ at }) => String(at)).join(', ')
  return knownFacts(
    [
      'FAIL needs',
      `a regression of at least ${smallestChangeWords(terms)}, proven at ` +
        `${formatRoundShare(level)} over all judged metrics and looks together`,
    ],
    [
      'PASS needs',
      `a regression of ${formatRoundShare(margin)} (shares: ` +
        `${percentOf('share', marginDifference)}) excluded for each judged metric, at ` +
        formatRoundShare(level),
    ],
    ['Interim analyses', `after ${when} runs per side`, ['page']],
    ['Order', carryOver === true ? ORDER : null, ['page']],
  )
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
  const columns: Table['columns'] = [
    { title: 'Metric', kind: 'code' },
    { title: 'Worse by at most', kind: 'unit' },
    { title: 'Margin', kind: 'unit' },
    ...(areNeeded ? [{ title: 'Runs still needed', kind: 'bound' as const }] : []),
  ]
  const rows = bounds.map((bound): TableCell[] => [
    bound.name,
    bound.excluded
      ? sizeWords(bound.worst, bound)
      : { text: sizeWords(bound.worst, bound), tone: 'doubt' },
    sizeWords(bound.unit === 'share' ? terms.marginDifference : terms.margin, bound),
    ...(areNeeded ? [moreWords(bound)] : []),
  ])
  const title =
    decision === 'fail' ? 'How large each regression may be' : 'Largest regression still possible'
  return { title, blocks: [tableOf(columns, rows, { stacks: true })] }
}

function moreWords({ moreRuns }: Bound): string {
  return moreRuns === null ? '' : `+${Math.max(1, moreRuns)}`
}

function sizeWords(size: number | null, { unit }: Bound): string {
  if (size === null) return '?'
  // A negative bound excludes every regression: even the least favourable change is an improvement.
  return `${signedBelow(100 * size)} ${unit === 'share' ? 'pp' : '%'}`
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
