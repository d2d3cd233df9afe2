/**
 * The report of an agreement: every aspect beside its bound, the curves, the runs, and how it is
 * judged.
 */
import { formatCount, formatMs, formatValue, plural } from '../../../report/frame/format.ts'
import type { TestCase } from '../../../report/frame/junit.ts'
import type { Cell, Report, Section, Tone } from '../../../report/frame/report.ts'
import { reasonText } from '../../../report/frame/report.ts'
import { VERDICTS } from '../../../report/run/summary.ts'
import type { VerdictMark } from '../../frame/study.ts'
import { headlineOf, INCONCLUSIVE, INVALID, toolWords, reportFiles } from '../../frame/study.ts'
import type { AgreementDocument, AgreementVerdict, AspectStatus } from '../document.ts'
import { curvesOf } from './charts.ts'
import type { AgreementCell, AgreementRow } from './rows.ts'
import { agreementRows } from './rows.ts'

export const AGREEMENT_VERDICTS: Record<AgreementVerdict['outcome'], VerdictMark> = {
  agree: { word: 'AGREE', sign: '✓', tone: 'good', exit: 'passed' },
  differ: { word: 'DIFFER', sign: '✗', tone: 'bad', exit: 'failed' },
  inconclusive: INCONCLUSIVE,
  invalid: INVALID,
}

export function agreementReport(document: AgreementDocument): Report {
  const { verdict, scenario, findings, command, startedAt, durationMs, target } = document
  const reasons = verdict.reasons.map(reasonText)
  return {
    title: `agreement of ${scenario}`,
    headline: headlineOf(AGREEMENT_VERDICTS[verdict.outcome], verdict.sentence),
    // A single reason is already in the sentence.
    reasons: reasons.length > 1 ? reasons : [],
    findings,
    facts: facts(document),
    sections:
      document.trials.length === 0
        ? []
        : [aspects(document), curves(document), runs(document), judged(document)],
    files: reportFiles('agreement', { cases: 'one test case per aspect' }),
    command,
    origin: {
      target: document.profile ?? target,
      startedAt,
      durationMs,
      tool: toolWords(document),
    },
    cases: casesOf(document),
  }
}

function facts({ scenario, seed, speed, trials }: AgreementDocument): Report['facts'] {
  const [reference] = trials
  return [
    { name: 'Scenario', text: scenario, on: ['page', 'terminal'] },
    {
      name: 'Extent',
      text:
        `${plural(trials.length, 'run')} of ` +
        `${plural(reference?.arrivals ?? 0, 'arrival')}, seed ${seed}, each with a fresh fake crew`,
    },
    ...(speed === 1
      ? []
      : [{ name: 'Time-lapse', text: `one second stands for ${formatCount(speed)}` }]),
    { name: 'Reference', text: reference?.name ?? 'none' },
  ]
}

const STATUSES: Record<AspectStatus, { text: string; tone: Tone }> = {
  same: { text: '✓ ok', tone: 'good' },
  differs: { text: '✗ differs', tone: 'bad' },
  'too-few': { text: '? too few', tone: 'doubt' },
  'not-known': { text: '? not known', tone: 'doubt' },
}

function aspects(document: AgreementDocument): Section {
  return {
    title: 'Aspect by aspect',
    blocks: [
      {
        kind: 'table',
        columns: [
          { title: 'result' },
          { title: 'aspect' },
          { title: 'bound', kind: 'number' },
          ...document.trials.map(({ name }) => ({ title: name, kind: 'number' as const })),
        ],
        // The reference is repeated beside every other run.
        fixed: 4,
        rows: agreementRows(document).map(rowOf),
        empty: null,
      },
    ],
  }
}

function rowOf({ label, status, bound, cells }: AgreementRow): Cell[] {
  return [status === null ? '' : STATUSES[status], label, bound, ...cells.map(cellOf)]
}

function cellOf({ text, difference, status }: AgreementCell): Cell {
  const whole = difference === '' ? text : `${text} (${difference})`
  return status === 'differs' ? { text: whole, tone: 'bad' } : whole
}

function curves(document: AgreementDocument): Section {
  const charts = (['execution', 'detectionDelay'] as const).flatMap((time) =>
    curvesOf(document, time),
  )
  return {
    title: 'The same times?',
    blocks: charts.map((chart) => ({ kind: 'figure', chart })),
  }
}

function runs({ trials }: AgreementDocument): Section {
  return {
    title: 'The runs',
    blocks: [
      {
        kind: 'table',
        on: ['page'],
        columns: [
          { title: 'run' },
          { title: 'own verdict' },
          { title: 'instances', kind: 'number' },
          { title: 'took', kind: 'number' },
          { title: 'meaning' },
        ],
        rows: trials.map(({ name, folder, verdict, instances, durationMs }): Cell[] => [
          { text: name, href: `${folder}/report.html` },
          `${VERDICTS[verdict.outcome].sign} ${VERDICTS[verdict.outcome].word}`,
          formatCount(instances),
          formatMs(durationMs),
          verdict.sentence,
        ]),
        empty: null,
      },
    ],
  }
}

function judged({ bounds, trials }: AgreementDocument): Section {
  const reference = trials[0]?.name ?? ''
  const on = ['page'] as const
  const texts = [
    'Each run had a fresh fake crew with the same profile and seed, which draws by ' +
      'the order of acceptance: the set of executions is the same in whatever order ' +
      'they start. Therefore arrivals and outcomes must be equal in number, and ' +
      `arrival times must agree to ${plural(bounds.arrivalMicros, 'microsecond')}.`,
    'Times must be similar: polls detect the end of an execution at a different ' +
      'phase, and close kickoffs may overtake each other. A quantile may differ by ' +
      `${formatValue(bounds.quantileShare, 'share')} from that of ${reference}, and ` +
      'a detection delay additionally by the errors of both clocks. The two-sample ' +
      `Kolmogorov-Smirnov test must give p over ${bounds.leastP}; if it ` +
      'distinguishes the distributions, only the part that differs by more than ' +
      'those bounds must pass it (“within”): polls bundle times, so that the test ' +
      'detects a single millisecond.',
    '“Same draws” pairs executions by their kickoff id. It decides nothing.',
  ]
  return {
    title: 'How this is judged',
    blocks: texts.map((text) => ({ kind: 'prose', text, on })),
  }
}

/** One case for each aspect that is judged, and one for each run that cannot be trusted. */
function casesOf(document: AgreementDocument): TestCase[] {
  const rows = document.trials.length === 0 ? [] : agreementRows(document)
  const judgedRows = rows.filter(({ status }) => status !== null)
  const { outcome, reasons } = document.verdict
  const untold = reasons.filter(({ code }) => code !== 'differs')
  return [
    ...judgedRows.map(({ label, status, bound, cells }): TestCase => {
      const measured = cells.map(({ text }) => text).join(', ')
      const message = `${measured}; bound ${bound}`
      if (status === 'same') return { name: label, result: { kind: 'passed' } }
      return {
        name: label,
        result: { kind: status === 'differs' ? 'failure' : 'skipped', message },
      }
    }),
    ...untold.map((reason): TestCase => ({
      name: `verdict ${reason.code}`,
      result: {
        kind: outcome === 'invalid' ? 'error' : 'skipped',
        message: reasonText(reason),
      },
    })),
  ]
}
