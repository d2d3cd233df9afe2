/**
 * The report of a twin: what was learned, how well it fits, and whether it behaves like the crew.
 */
import { formatShare, threeDigits } from '../../../base/units.ts'
import { formatCount, formatMs, plural } from '../../../report/frame/format.ts'
import type { Cell, Fact, Report, Section } from '../../../report/frame/report.ts'
import { reasonText } from '../../../report/frame/report.ts'
import type { VerdictMark } from '../../frame/study.ts'
import {
  headlineOf,
  INCONCLUSIVE,
  toolWords,
  verdictCase,
  reportFiles,
  INVALID,
} from '../../frame/study.ts'
import { valueWords } from '../analyse/verdict.ts'
import type { Part, TwinDocument } from '../document.ts'
import { quantileChart, stayChart } from './charts.ts'

export const TWIN_VERDICTS: Record<TwinDocument['verdict']['outcome'], VerdictMark> = {
  learned: { word: 'LEARNED', sign: '✓', tone: 'good', exit: 'passed' },
  disagrees: { word: 'DISAGREES', sign: '~', tone: 'doubt', exit: 'inconclusive' },
  'too-few': INCONCLUSIVE,
  invalid: INVALID,
}

export function twinReport(document: TwinDocument): Report {
  const { verdict, findings, command, startedAt, durationMs, source, target } = document
  const mark = TWIN_VERDICTS[verdict.outcome]
  return {
    title: 'twin',
    headline: headlineOf(mark, verdict.sentence),
    reasons: verdict.reasons.map(reasonText),
    findings,
    facts: facts(document),
    sections: [
      whole(document),
      parts(document),
      goodness(document),
      profileSection(document),
      method(),
    ],
    files: reportFiles('twin'),
    command,
    origin: {
      target: source.profile ?? target,
      startedAt,
      durationMs,
      tool: toolWords(document),
    },
    cases: [verdictCase('the twin behaves like the crew', mark, verdict)],
  }
}

const TRUTHS: Record<TwinDocument['source']['truth'], string> = {
  ledger: 'starts and ends by the ledger',
  reported: 'times as the crew reports them, ends between two polls',
  polls: 'ends between two polls, starts by the order of acceptance',
  mixed: 'starts and ends by several sources',
}

function facts({ source, runs, file }: TwinDocument): Fact[] {
  const { executions, ended, truth, perMinute } = source
  const rate = perMinute === null ? '' : `, ${threeDigits(perMinute)}/min`
  return [
    {
      name: 'Learned from',
      text:
        `${plural(executions, 'execution')} of ${plural(runs.length, 'run')}${rate}; ` +
        `${formatCount(ended)} were seen to end`,
    },
    { name: 'Known by', text: TRUTHS[truth] },
    ...(file === null
      ? []
      : [
          { name: 'Profile', text: file },
          { name: 'Use it', text: `crewload run steady --profile ${file}` },
        ]),
  ]
}

function whole(document: TwinDocument): Section {
  const { agreement } = document
  if (agreement === null) return { title: 'The twin against the crew', blocks: [] }
  const chart = stayChart(agreement)
  const number = 'number' as const
  return {
    title: 'The twin against the crew',
    blocks: [
      ...(chart === null ? [] : [{ kind: 'figure' as const, chart }]),
      {
        kind: 'table',
        columns: [
          { title: 'quantity' },
          { title: 'crew', kind: number },
          { title: 'twin', kind: number },
          { title: 'from', kind: number },
          { title: 'to', kind: number },
          { title: 'result' },
        ],
        rows: agreement.comparisons.map(
          ({ name, unit, observed, twin, low, high, agrees }): Cell[] => [
            name,
            valueWords(observed, unit),
            valueWords(twin, unit),
            valueWords(low, unit),
            valueWords(high, unit),
            { text: agrees ? 'agrees' : 'DISAGREES', tone: agrees ? 'good' : 'bad' },
          ],
        ),
        empty: 'the replays show nothing',
      },
    ],
  }
}

function parts({ parts: all }: TwinDocument): Section {
  return {
    title: 'What was learned',
    blocks: [
      {
        kind: 'table',
        columns: [{ title: 'Part' }, { title: 'Learned' }, { title: 'Identified' }],
        rows: all.map((part): Cell[] => [part.name, part.words, identifiedCell(part)]),
        empty: null,
        stacks: true,
      },
    ],
  }
}

function identifiedCell({ identified, tells }: Part): Cell {
  if (identified) return tells === null ? 'yes' : `yes; closer by ${tells}`
  return { text: tells === null ? 'no' : `no: ${tells}`, tone: 'doubt' }
}

function goodness({ parts: all }: TwinDocument): Section {
  const fitted = all.filter((part) => part.goodness !== null)
  const number = 'number' as const
  return {
    title: 'How well the parts fit',
    blocks: [
      ...fitted
        .filter(({ name }) => name.startsWith('task '))
        .flatMap((part, i) => {
          const chart = quantileChart(part, i)
          return chart === null ? [] : [{ kind: 'figure' as const, chart }]
        }),
      {
        kind: 'table',
        columns: [
          { title: 'Part' },
          { title: 'p50', kind: number },
          { title: 'of the twin', kind: number },
          { title: 'p95', kind: number },
          { title: 'of the twin', kind: number },
          { title: 'held out', kind: number },
        ],
        rows: fitted.map(({ name, unit, goodness: good }): Cell[] => [
          name,
          intervalWords(good!.p50, unit),
          amount(good!.p50.fitted, unit),
          intervalWords(good!.p95, unit),
          amount(good!.p95.fitted, unit),
          good!.test === null ? '–' : `p ${threeDigits(good!.test.p)}`,
        ]),
        empty: null,
        stacks: true,
      },
      {
        kind: 'prose',
        as: 'muted',
        text:
          'Intervals are 95 % intervals, by ranks of the sample. Held out: the probability ' +
          'that a fifth of the values, which the fit has not seen, differ from it this much ' +
          'by chance (Kolmogorov-Smirnov); below 0.01 the shape does not fit.',
      },
    ],
  }
}

interface Interval {
  value: number
  low: number | null
  high: number | null
}

function intervalWords({ value, low, high }: Interval, unit: Part['unit']): string {
  const bounds = [low, high].map((each) => (each === null ? '?' : amount(each, unit)))
  return `${amount(value, unit)} (${bounds.join(' to ')})`
}

function amount(value: number, unit: Part['unit']): string {
  if (unit === 'ms') return formatMs(value)
  return unit === 'share' ? formatShare(value) : formatCount(Math.round(value))
}

function profileSection({ profile }: TwinDocument): Section {
  return {
    title: 'The profile',
    blocks: profile === null ? [] : [{ kind: 'verbatim', text: profile }],
  }
}

function method(): Section {
  return {
    title: 'How it was learned',
    blocks: [
      {
        kind: 'prose',
        on: ['page'],
        text:
          'Each task is fitted by the lognormal, the gamma or the quantiles, whichever gives ' +
          'held-out values the greatest likelihood; an end between two polls counts as that ' +
          'interval, and one that was not seen counts as later than the last poll. Workers ' +
          'follow from the order first come, first served: with too few, executions would ' +
          'end later than they did, and with too many, earlier. Finally, the same arrivals ' +
          'were replayed on the twin in virtual time, with the polling, retries and deadline ' +
          'of the runs, and observed in the same way as the crew.',
      },
    ],
  }
}
