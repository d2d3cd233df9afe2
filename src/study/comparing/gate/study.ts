/** The study that gates a candidate: worse than its baseline, not worse, or not known. */
import { unreachable } from '../../../base/assert.ts'
import { formatCount, formatMostMs, formatMs, plural } from '../../../base/numbers.ts'
import type { PlanText } from '../../../report/frame/render/terminal.ts'
import { placeRow } from '../../../run/plan/text.ts'
import { planTextOf, requestWords } from '../../../run/plan/text.ts'
import { rounded } from '../verdict.ts'
import type { Study } from '../../frame/study.ts'
import type { GateDocument } from './document.ts'
import { gateSchema } from './document.ts'
import { lostWords } from './plan/outline.ts'
import type { GatePlan, GateTotal } from './plan/outline.ts'
import { DECISIONS, gateReport } from './report.ts'

export const gate: Study<GatePlan, GateDocument> = {
  name: 'gate',
  holds: 'whether a candidate is worse than its baseline, metric by metric, and how surely',
  schema: gateSchema,
  planText,
  report: gateReport,
  undecided: { decision: 'inconclusive' },
  exit: ({ decision, ended }) => {
    if (ended === 'interrupted') return 'interrupted'
    return decision === 'inconclusive' && ended === 'target'
      ? 'unreachable'
      : DECISIONS[decision].exit
  },
}

function planText(plan: GatePlan): PlanText {
  const { facts, base, judged, terms, total, updateBaseline, starts } = plan
  const { title, rows, notes } = planTextOf(facts)
  const looks = terms.looks.map(({ at }) => String(at)).join(', ')
  return {
    title: `${title}, as a gate`,
    rows: [
      ['baseline', baseWords(base)],
      [
        'runs',
        `${runsWords(base, terms.runs)}; looks after ${looks}, and stops as soon as one of ` +
          'the two is certain',
      ],
      ['in all', totalWords(total)],
      ...startRows(starts),
      ['judged', judged.join(', ')],
      [
        'decides',
        `FAIL if ${rounded(100 * terms.smallestChange)} % worse or more, PASS if ` +
          `${rounded(100 * terms.margin)} % is excluded`,
      ],
      ...(plan.sees.length === 0 ? [] : [['sees', seesWords(plan.sees)] as const]),
      ...(updateBaseline === null ? [] : [['then', updateWords(updateBaseline)] as const]),
      ...rows,
    ],
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
  const each = sees.map(
    ({ name, change }) => `${name === '' ? 'times' : name} from ${rounded(100 * change)} %`,
  )
  const by = sees[0]?.name === '' ? 'at 3 % of noise between runs' : 'by the spread of the baseline'
  return `changes of ${each.join(', ')}, four times in five, ${by}`
}

function startRows({ base, new: next }: GatePlan['starts']): (readonly [string, string])[] {
  return [
    ...(base === null ? [] : [['base start', base] as const]),
    ...(next === null ? [] : [['start', next] as const]),
  ]
}

function baseWords(base: GatePlan['base']): string {
  switch (base.kind) {
    case 'stored':
      return `${plural(base.runs, 'run')} in ${base.folder}`
    case 'none':
      return `none in ${base.folder}: this gate writes it, and compares nothing${lostWords(base)}`
    case 'turns':
      return `${placeRow({ ...base, profile: null, target: base.profile ?? base.target })[1]}, alternately with the candidate`
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
