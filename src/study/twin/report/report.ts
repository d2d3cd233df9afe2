/**
 * The report of a twin: what was learned, how well it fits, and whether it behaves like the crew.
 */
import type { NumberWording } from '../../../base/numbers.ts'
import { capital } from '../../../base/text.ts'
import { TIMES_BY_WORDS } from '../../frame/executions/reader.ts'
import {
  formatCount,
  formatEstimate,
  formatMs,
  formatShare,
  formatValue,
  plural,
  threeDigits,
} from '../../../base/numbers.ts'
import type { Fact, Section } from '../../../report/frame/report.ts'
import type { TableCell } from '../../../report/text/table.ts'
import { figures, knownFacts, methodSection } from '../../../report/frame/report.ts'
import { columnsOf, tableOf } from '../../../report/text/table.ts'
import { byShareChart } from '../../../report/charts/by-share.ts'
import type { ReportBody, VerdictMark } from '../../frame/study.ts'
import { INCONCLUSIVE, INVALID, originOf } from '../../frame/study.ts'
import { valueWords } from '../sentences/verdict.ts'
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

export function twinBody(document: TwinDocument): ReportBody {
  return {
    asked: 'the twin behaves like the crew',
    facts: facts(document),
    sections: [
      whole(document),
      parts(document),
      goodness(document),
      profileSection(document),
      methodSection('How it was learned', METHOD),
    ],
    origin: originOf(document),
  }
}

function facts({ source, runs, file }: TwinDocument): Fact[] {
  const { executions, ended, truth, perMinute } = source
  const rate = perMinute === null ? '' : `, ${threeDigits(perMinute)}/min`
  const learned =
    `${plural(executions, 'execution')} of ${plural(runs.length, 'run')}${rate}; ` +
    `${formatCount(ended)} were seen to end`
  return knownFacts(
    ['Learned from', learned],
    ['Known by', TIMES_BY_WORDS[truth]],
    ['Profile', file],
    ['Use it', file && `crewload run steady --profile ${file}`],
  )
}

function whole({ agreement }: TwinDocument): Section {
  const title = 'The twin against the crew'
  if (agreement === null) return { title, blocks: [] }
  const rows = agreement.comparisons.map((comparison): TableCell[] => {
    const { name, unit, observed, twin, low, high, agrees } = comparison
    const values = [observed, twin, low, high].map((value) => valueWords(value, unit))
    const result = agrees ? 'agrees' : 'DISAGREES'
    return [name, ...values, { text: result, tone: agrees ? 'good' : 'bad' }]
  })
  const columns = columnsOf(['quantity'], ['crew', 'twin', 'from', 'to'], ['result'])
  const table = tableOf(columns, rows, { empty: 'the replays show nothing' })
  return { title, blocks: [...figures(stayChart(agreement)), table] }
}

function parts({ parts: all }: TwinDocument): Section {
  const columns = columnsOf(['Part', 'Learned', 'Identified'])
  const rows = all.map((part): TableCell[] => [
    part.name,
    part.learned.message,
    identifiedCell(part),
  ])
  return { title: 'What was learned', blocks: [tableOf(columns, rows, { stacks: true })] }
}

function identifiedCell({ identified, learned: { remedy } }: TwinPart): TableCell {
  if (identified) return remedy === '' ? 'yes' : `yes; closer by ${remedy}`
  return { text: remedy === '' ? 'no' : `no; needs ${remedy}`, tone: 'doubt' }
}

function goodness({ parts: all }: TwinDocument): Section {
  const tasks = all.filter(({ kind, goodness: good }) => good !== null && kind === 'task')
  const columns = columnsOf(['Part'], ['p50', 'of the twin', 'p95', 'of the twin', 'held out'])
  const rows = all.flatMap(({ name, unit, goodness: good }): TableCell[][] => {
    if (good === null) return []
    const quantiles = [good.p50, good.p95].flatMap((quantile) => [
      formatEstimate(quantile, wordingOf(unit)),
      amount(quantile.fitted, unit),
    ])
    return [[name, ...quantiles, good.test === null ? '–' : `p ${threeDigits(good.test.p)}`]]
  })
  return {
    title: 'How well the parts fit',
    blocks: [
      ...tasks.flatMap((part, place) => figures(quantileChart(part, place))),
      tableOf(columns, rows, { stacks: true }),
      {
        kind: 'prose',
        as: 'muted',
        text:
          'Intervals are 95 % intervals, by ranks of the sample. Held out: the probability ' +
          'that a held-out fifth of the values differs from the fit this much by chance ' +
          '(Kolmogorov-Smirnov). Below 0.01 the shape does not fit.',
      },
    ],
  }
}

function amount(value: number, unit: TwinPart['unit']): string {
  const wording = wordingOf(unit)
  return typeof wording === 'function' ? wording(value) : formatValue(value, wording)
}

function wordingOf(unit: TwinPart['unit']): NumberWording {
  if (unit === 'ms' || unit === 'share') return unit
  return (value) => formatCount(Math.round(value))
}

function profileSection({ profile }: TwinDocument): Section {
  return {
    title: 'The profile',
    blocks: profile === null ? [] : [{ kind: 'verbatim', text: profile }],
  }
}

const METHOD =
  'Each task is fitted by the lognormal, the gamma or the quantiles, whichever gives held-out ' +
  'values the greatest likelihood. An end between two polls counts as that interval. One that was ' +
  'not seen counts as later than the last poll. Workers follow from the order first come, ' +
  'first served. With too few, executions would end later than they did, and with too many, ' +
  'earlier. Finally, the same arrivals were replayed on the twin in virtual time. Polling, retries ' +
  'and deadline came from the runs, and the twin was observed as the crew was.'

/**
 * The figures of a twin: the whole twin compared with the crew, and each task's values compared
 * with their fit.
 *
 * Null if the replays show nothing.
 */
function stayChart({ stay, comparisons, replays }: Agreement): Chart | null {
  if (stay.length < 2) return null
  const median = comparisons.find(({ figure }) => figure === 'stay-p50')
  const heading =
    median === undefined
      ? 'How long executions stay in the crew, and in the twin'
      : `Half of the executions stay ${formatMs(median.observed)} in the crew, and ` +
        `${formatMs(median.twin)} in the twin`
  const caption =
    'From acceptance until the client knew the end, by the share of executions that took no ' +
    `longer. The line is the crew. Points are the median of ${replays} replays of the same ` +
    'arrivals on the twin, whiskers hold 90 % of them.'
  return byShareChart({ id: 'stay', heading, caption }, stay, {
    title: 'time in the crew',
    names: ['crew', 'twin'],
    color: 'response',
  })
}

const ROUND = [
  ...[0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30].map((seconds) => seconds * 1_000),
  ...[1, 3, 10, 30].map((minutes) => minutes * 60_000),
  ...[1, 3, 10, 30, 100].map((hours) => hours * 3_600_000),
]

/** Ticks in milliseconds; the two ends if no round value lies between them. */
function ticksBetween(from: number, to: number): Tick[] {
  const round = ROUND.filter((value) => value >= from && value <= to)
  return (round.length < 2 ? [from, to] : round).map((value) => ({ value, label: formatMs(value) }))
}

/**
 * Compares quantiles of the sample with those of the fit: points lie on the line where both are
 * equal.
 */
export function quantileChart({ name, goodness, learned }: TwinPart, place: number): Chart | null {
  if (goodness === null || goodness.qq.length < 2) return null
  const { qq } = goodness
  const [least, most] = [qq[0]!, qq.at(-1)!]
  const [from, to] = [Math.min(least.fitted, least.observed), Math.max(most.fitted, most.observed)]
  if (to <= from || from <= 0) return null
  // The other axis becomes logarithmic by itself; only with equal axes are equal values a straight
  // line.
  const log = to / from > LINEAR_RATIO
  const equal = diagonal(from, to)
  return {
    id: `quantiles-${place}`,
    heading: `${capital(name)}: ${learned.message}`,
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
        lines: [{ name: 'equal', color: 'grey', dash: '6 4', unnamed: true, points: equal }],
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
      rows: qq.map(({ share, observed, fitted }) =>
        [observed, fitted].map(formatMs).toSpliced(0, 0, formatShare(share)),
      ),
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
