/**
 * The report of a recovery test: verdict, the course of a trial, the tipping point, every trial.
 */
import { unreachable } from '../../../base/assert.ts'
import { formatCount, formatMs, formatOptionalMs, NOTHING, plural } from '../../../base/numbers.ts'
import { formatMetric } from '../../../result/metrics/sentences.ts'
import type { Block, Fact, Report, Section } from '../../../report/frame/report.ts'
import type { Table } from '../../../report/text/table.ts'
import { columnsOf, tableOf } from '../../../report/text/table.ts'
import { knownFacts } from '../../../report/frame/report.ts'
import type { ReportBody, VerdictMark } from '../../frame/study.ts'
import { INCONCLUSIVE, INVALID, originOf, studyReportFiles } from '../../frame/study.ts'
import type { RecoveryDocument, RecoveryTrial } from '../document.ts'
import { courseChart, tippingChart } from './chart.ts'
import {
  backWords,
  countWords,
  courseWords,
  measureFacts,
  OUTCOME_WORDS,
  ratioWords,
  seedWords,
  shareText,
  sizeRows,
  targetWords,
  unclearWords,
} from './wording.ts'
import { unclearText } from '../sentences.ts'

const MARKS = {
  recovers: { word: 'RECOVERS', sign: '✓', tone: 'good', exit: 'passed' },
  'recovers-slowly': { word: 'RECOVERS SLOWLY', sign: '~', tone: 'doubt', exit: 'passed' },
  'does-not-recover': { word: 'DOES NOT RECOVER', sign: '✗', tone: 'bad', exit: 'failed' },
  inconclusive: INCONCLUSIVE,
  invalid: INVALID,
} as const satisfies Record<RecoveryDocument['verdict']['outcome'], VerdictMark>

/** A slow recovery is a failure when the user gave a bound. */
export function recoveryMark({ verdict, plan }: RecoveryDocument): VerdictMark {
  const mark = MARKS[verdict.outcome]
  return verdict.outcome === 'recovers-slowly' && plan.withinAsked
    ? { ...mark, exit: 'failed' }
    : mark
}

export function recoveryBody(document: RecoveryDocument): ReportBody {
  const { plan } = document
  return {
    title: `recovery of ${plan.scenario}`,
    asked: `recovers from ${plan.trigger.words}, for ${formatMs(plan.triggerMs)}`,
    facts: facts(document),
    sections: [overTime(document), tipping(document), trials(document), method(document)],
    files: studyReportFiles('recovery', { cases: 'the verdict and every seed for a CI server' }),
    origin: originOf(document, { target: targetWords(plan), engine: plan.engine }),
    cases: document.trials.map((trial) => seedCase(trial, document)),
  }
}

function facts(document: RecoveryDocument): Fact[] {
  const { plan, verdict } = document
  return [
    ...measureFacts(document),
    ...knownFacts(
      ['Trials', countWords(verdict) || 'none'],
      ['Trigger', `${plan.trigger.words}, for ${formatMs(plan.triggerMs)}`, ['page']],
      ['Client', plan.client],
      ['Run', `${courseWords(plan)}; ${seedWords(plan)}`, ['terminal', 'markdown']],
    ),
  ]
}

function overTime(document: RecoveryDocument): Section {
  const { course } = document
  return {
    title: 'Over time',
    blocks: course === null ? [] : [{ kind: 'figure', chart: courseChart(document, course) }],
  }
}

/** The page shows the sentence and the numbers with the figure. */
function tipping({ tipping: point }: RecoveryDocument): Section {
  const on = ['terminal', 'markdown'] as const
  const title = 'The cost'
  if (point === null) return { title, blocks: [] }
  return {
    title,
    blocks: [
      { kind: 'figure', chart: tippingChart(point) },
      { kind: 'prose', text: point.sentence, on },
      tableOf(columnsOf([], ['trigger', 'tipped', '95 % interval']), sizeRows(point), { on }),
    ],
  }
}

const TRIALS_NOTE =
  'Recovery time: from the end of the trigger, with its resolution. Served before and at the ' +
  'end: the share of the arrivals. No trigger: of a run without it, from the same time on. At ' +
  'the end means the last quarter of the observation; kickoffs sent and executions started in it ' +
  'are per arrival. Backlog: the most executions waiting for a worker; in flight: those that the ' +
  'client waited for when the observation ended.'

const SIGNS: Record<RecoveryTrial['outcome'], string> = {
  recovers: '✓',
  'recovers-slowly': '~',
  'does-not-recover': '✗',
  unclear: '?',
}

/** So many signs stand together. */
const SIGNS_TOGETHER = 10

/** `Seeds from 42: ✓✓✓✗✓ (✓ recovers, ✗ does not recover)`. */
function signsOf(trials: readonly RecoveryTrial[]): string {
  const [first] = trials
  if (first === undefined) return 'No trial finished.'
  const signs = trials.map(({ outcome }) => SIGNS[outcome])
  const groups = Array.from({ length: Math.ceil(signs.length / SIGNS_TOGETHER) }, (_, at) =>
    signs.slice(at * SIGNS_TOGETHER, (at + 1) * SIGNS_TOGETHER).join(''),
  )
  const meaning = [...new Set(trials.map(({ outcome }) => outcome))]
    .map((outcome) => `${SIGNS[outcome]} ${OUTCOME_WORDS[outcome]}`)
    .join(', ')
  const which = trials.length === 1 ? `Seed ${first.seed}` : `Seeds from ${first.seed}`
  return `${which}: ${groups.join(' ')} (${meaning})`
}

function trials(document: RecoveryDocument): Section {
  const { trials: all } = document
  return {
    title: 'Every trial',
    blocks: [
      { kind: 'prose', text: signsOf(all) },
      {
        kind: 'fold',
        title: `Numbers of ${plural(all.length, 'trial')}`,
        blocks: [
          { kind: 'prose', text: TRIALS_NOTE },
          {
            kind: 'table',
            columns: TRIAL_COLUMNS.map(([column]) => column),
            rows: all.map((trial) => TRIAL_COLUMNS.map(([, cell]) => cell(trial))),
            empty: 'No trial finished.',
          },
        ],
      },
      { kind: 'list', items: unclearWords(all) },
    ],
  }
}

type TrialColumn = readonly [
  column: Table['columns'][number],
  cell: (trial: RecoveryTrial) => string,
]

const TRIAL_COLUMNS: readonly TrialColumn[] = [
  [{ title: 'seed', kind: 'number' }, ({ seed }) => String(seed)],
  [{ title: 'outcome' }, ({ outcome }) => OUTCOME_WORDS[outcome]],
  [{ title: 'recovery time', kind: 'number' }, recoveryTime],
  [{ title: 'within', kind: 'number', on: ['page'] }, ({ windowMs }) => formatOptionalMs(windowMs)],
  [
    { title: 'served before', kind: 'number' },
    ({ before: { served, wanted } }) => (wanted === 0 ? NOTHING : shareText(served / wanted)),
  ],
  [{ title: 'at the end', kind: 'number' }, ({ servedAfter }) => formatMetric(servedAfter)],
  [
    { title: 'no trigger', kind: 'number', on: ['page'] },
    ({ servedControl }) => (servedControl === null ? NOTHING : formatMetric(servedControl)),
  ],
  [{ title: 'sent', kind: 'number', on: ['page'] }, ({ attempts }) => ratioWords(attempts.after)],
  [{ title: 'started', kind: 'number', on: ['page'] }, ({ started }) => ratioWords(started?.after)],
  [
    { title: 'backlog', kind: 'number' },
    ({ backlog }) => (backlog === null ? NOTHING : formatCount(backlog.peak)),
  ],
  [
    { title: 'in flight', kind: 'number', on: ['page'] },
    ({ inFlightEnd }) => formatCount(inFlightEnd),
  ],
]

function recoveryTime({ recoveryMs }: RecoveryTrial): string {
  return recoveryMs === null ? NOTHING : backWords(recoveryMs)
}

function method({ plan, runs, durationMs }: RecoveryDocument): Section {
  const on = ['page'] as const
  const blocks: Block[] = [
    {
      kind: 'prose',
      text:
        'Goodput is the share of the arrivals that completed within their deadline ' +
        `(${formatMs(plan.deadlineMs)}), by intended time. It is restored once ` +
        'every later window has at least 95 % of the share before the trigger. The window is the ' +
        'shortest in which mere noise looks like a drop in at most 1 % of ' +
        'observations. Recovery later than ' +
        `${formatMs(plan.withinMs)} is slow. Arrivals shortly before the trigger, which it may ` +
        'affect, are not counted.',
      on,
    },
    {
      kind: 'facts',
      facts: knownFacts(
        ['Each run', courseWords(plan)],
        ['Runs', `${seedWords(plan)}; ${runs} in total, in ${formatMs(durationMs)}`],
        ['Network', plan.network ?? 'sockets'],
      ),
      on,
    },
  ]
  return { title: 'How it was measured', blocks }
}

type SeedCase = Report['cases'][number]

/** A seed that did not recover is not a failure when the verdict over all seeds is good. */
function seedCase(trial: RecoveryTrial, document: RecoveryDocument): SeedCase {
  const { plan } = document
  const { seed, outcome, why, servedAfter } = trial
  const bad = recoveryMark(document).exit === 'passed' ? 'skipped' : 'failure'
  const name = `seed ${seed}`
  switch (outcome) {
    case 'recovers':
      return { name, result: { kind: 'passed' } }
    case 'recovers-slowly': {
      const message = `recovered after ${recoveryTime(trial)}, over ${formatMs(plan.withinMs)}`
      return {
        name,
        result: plan.withinAsked ? { kind: bad, message } : { kind: 'passed' },
      }
    }
    case 'does-not-recover': {
      const message = `${OUTCOME_WORDS[outcome]}: at the end ${formatMetric(servedAfter)} of the arrivals were served`
      return { name, result: { kind: bad, message } }
    }
    case 'unclear':
      return {
        name,
        result: {
          kind: 'skipped',
          message: why === null ? OUTCOME_WORDS[outcome] : unclearText(why),
        },
      }
    default:
      return unreachable(outcome)
  }
}
