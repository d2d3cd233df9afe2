/**
 * The report of a twin: what was learned, how well it fits, and whether it behaves like the crew.
 */
import { formatShare, threeDigits } from '../../../base/units.ts'
import { formatCount, formatMs, plural } from '../../../report/frame/format.ts'
import type { Fact, Report, Section } from '../../../report/frame/report.ts'
import type { TableCell } from '../../../report/frame/table.ts'
import { reasonText } from '../../../report/frame/report.ts'
import type { VerdictMark } from '../../frame/study.ts'
import {
  INCONCLUSIVE,
  INVALID,
  headlineOf,
  reportFiles,
  toolWords,
  verdictCase,
} from '../../frame/study.ts'
import { valueWords } from '../analyse/verdict.ts'
import type { Agreement, TwinPart, TwinDocument } from '../document.ts'
import type { Chart, Mark } from '../../../report/charts/chart.ts'
import { LINEAR_RATIO } from '../../../report/charts/scales.ts'
import type { Tick } from '../../../report/charts/ticks.ts'

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
          ({ name, unit, observed, twin, low, high, agrees }): TableCell[] => [
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
        rows: all.map((part): TableCell[] => [part.name, part.words, identifiedCell(part)]),
        empty: null,
        stacks: true,
      },
    ],
  }
}

function identifiedCell({ identified, tells }: TwinPart): TableCell {
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
        rows: fitted.map(({ name, unit, goodness: good }): TableCell[] => [
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

function intervalWords({ value, low, high }: Interval, unit: TwinPart['unit']): string {
  const bounds = [low, high].map((each) => (each === null ? '?' : amount(each, unit)))
  return `${amount(value, unit)} (${bounds.join(' to ')})`
}

function amount(value: number, unit: TwinPart['unit']): string {
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

/**
 * The figures of a twin: the whole twin compared with the crew, and each task's values compared
 * with their fit.
 *
 * Null if the replays show nothing.
 */
function stayChart({ stay, comparisons, replays }: Agreement): Chart | null {
  if (stay.length < 2) return null
  const median = comparisons.find(({ name }) => name === 'time in the crew, p50')
  return {
    id: 'stay',
    finding:
      median === undefined
        ? 'How long executions stay in the crew, and in the twin'
        : `Half of the executions stay ${formatMs(median.observed)} in the crew, and ` +
          `${formatMs(median.twin)} in the twin`,
    caption:
      'From acceptance until the client knew the end, by the share of executions that took no ' +
      `longer. The line is the crew; points are the median of ${replays} replays of the same ` +
      'arrivals on the twin, whiskers hold 90 % of them.',
    x: { title: 'share of executions', kind: 'share' },
    panels: [
      {
        y: { title: 'time in the crew', kind: 'duration' },
        height: { narrow: 220, wide: 280 },
        lines: [
          {
            name: 'crew',
            color: 'endToEnd',
            dash: '',
            unnamed: true,
            points: stay.map(({ share, observedMs }) => ({ x: share, y: observedMs })),
          },
        ],
        points: [
          {
            color: 'response',
            points: stay.map(({ share, twinMs, lowMs, highMs, observedMs }): Mark => ({
              x: share,
              y: twinMs,
              low: lowMs,
              high: highMs,
              tip: `${formatShare(share)}: crew ${formatMs(observedMs)}, twin ${formatMs(twinMs)}`,
            })),
          },
        ],
      },
    ],
    table: {
      columns: ['share', 'crew', 'twin', 'from', 'to'],
      rows: stay.map(({ share, observedMs, twinMs, lowMs, highMs }) => [
        formatShare(share),
        formatMs(observedMs),
        formatMs(twinMs),
        formatMs(lowMs),
        formatMs(highMs),
      ]),
    },
  }
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const ROUND = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]
  .map((seconds) => seconds * SECOND)
  .concat([1, 3, 10, 30].map((minutes) => minutes * MINUTE))
  .concat([1, 3, 10, 30, 100].map((hours) => hours * HOUR))

/** Ticks in milliseconds; the two ends if no round value lies between them. */
function ticksBetween(from: number, to: number): Tick[] {
  const round = ROUND.filter((value) => value >= from && value <= to)
  return (round.length < 2 ? [from, to] : round).map((value) => ({ value, label: formatMs(value) }))
}

/**
 * Compares quantiles of the sample with those of the fit: points lie on the line where both are
 * equal.
 */
export function quantileChart({ name, goodness, words }: TwinPart, place: number): Chart | null {
  if (goodness === null || goodness.qq.length < 2) return null
  const { qq } = goodness
  const [least, most] = [qq[0]!, qq.at(-1)!]
  const [from, to] = [Math.min(least.fitted, least.observed), Math.max(most.fitted, most.observed)]
  if (to <= from || from <= 0) return null
  // The other axis becomes logarithmic by itself; only with equal axes are equal values a straight
  // line.
  const log = to / from > LINEAR_RATIO
  return {
    id: `quantiles-${place}`,
    finding: `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${words}`,
    caption:
      'Each point is a quantile (5 to 99 %): observed on the horizontal axis, fitted on the ' +
      'vertical one. On the line both are equal.',
    x: log
      ? { title: 'observed', kind: 'duration', log, ticks: ticksBetween(from, to) }
      : { title: 'observed', kind: 'duration' },
    panels: [
      {
        y: { title: 'fitted', kind: 'duration' },
        height: { narrow: 200, wide: 240 },
        lines: [
          {
            name: 'equal',
            color: 'grey',
            dash: '6 4',
            unnamed: true,
            points: diagonal(from, to),
          },
        ],
        points: [
          {
            color: 'endToEnd',
            points: qq.map(({ share, observed, fitted }): Mark => ({
              x: observed,
              y: fitted,
              low: null,
              high: null,
              tip: `${formatShare(share)}: ${formatMs(observed)} observed, ${formatMs(fitted)} fitted`,
            })),
          },
        ],
      },
    ],
    table: {
      columns: ['share', 'observed', 'fitted'],
      rows: qq.map(({ share, observed, fitted }) => [
        formatShare(share),
        formatMs(observed),
        formatMs(fitted),
      ]),
    },
  }
}

/** The line of equal values, which is a curve if only one axis is logarithmic. */
function diagonal(from: number, to: number): { x: number; y: number }[] {
  return Array.from({ length: DIAGONAL_STEPS + 1 }, (_, i) => {
    const value = from * (to / from) ** (i / DIAGONAL_STEPS)
    return { x: value, y: value }
  })
}

const DIAGONAL_STEPS = 24
