/** The report of a history of gates: the trend of each judged metric, and its changes. */
import { meanOf } from '../../analysis/statistics/moments.ts'
import { formatReach, plural } from '../../analysis/metrics/format.ts'
import type { Chart, Panel } from '../../report/charts/chart.ts'
import type { Report, Section } from '../../report/frame/report.ts'
import { reasonText } from '../../report/frame/report.ts'
import { rounded } from '../frame/comparing/verdict.ts'
import type { VerdictMark } from '../frame/study.ts'
import { headlineOf, toolWords, reportFiles } from '../frame/study.ts'
import { gateWords, sizeWords } from './analyse.ts'
import type { HistoryDocument, Trend } from './document.ts'

/** No verdict fails a build, because only the reader can say whether a change is acceptable. */
export const HISTORY_VERDICTS: Record<HistoryDocument['verdict']['outcome'], VerdictMark> = {
  worse: { word: 'WORSE', sign: '✗', tone: 'doubt', exit: 'passed' },
  better: { word: 'BETTER', sign: '✓', tone: 'good', exit: 'passed' },
  steady: { word: 'STEADY', sign: '✓', tone: 'good', exit: 'passed' },
  'too-few': { word: 'TOO FEW', sign: '?', tone: 'doubt', exit: 'inconclusive' },
}

export function historyReport(document: HistoryDocument): Report {
  const { verdict, findings, command, startedAt, durationMs, target, metrics, terms } = document
  return {
    title: 'history of gates',
    headline: headlineOf(HISTORY_VERDICTS[verdict.outcome], verdict.sentence),
    reasons: verdict.reasons.map(reasonText),
    findings,
    facts: [
      { name: 'History', text: plural(document.gates, 'gate') },
      {
        name: 'Named',
        text:
          `changes of at least ${rounded(100 * terms.smallestChange)} % (shares: ` +
          `${rounded(100 * terms.smallestDifference)} percentage point), at ` +
          `${rounded(100 * terms.level)} % over all metrics and places together`,
      },
    ],
    sections: [changes(metrics), ...changedFirst(metrics).flatMap(trend)],
    files: reportFiles('history'),
    command,
    origin: { name: 'Read from', target, startedAt, durationMs, tool: toolWords(document) },
    cases: metrics.map(({ name }) => ({ name, result: { kind: 'passed' } })),
  }
}

function changes(metrics: readonly Trend[]): Section {
  const rows = metrics.flatMap(({ name, unit, changes: all }) =>
    all.map((change) => [
      name,
      {
        text: sizeWords(unit, change),
        tone: change.direction === 'worse' ? ('bad' as const) : ('good' as const),
      },
      formatReach(change.before, unit),
      formatReach(change.now, unit),
      gateWords(change.after),
      gateWords(change.until),
    ]),
  )
  return {
    title: 'What changed',
    blocks: [
      {
        kind: 'table',
        columns: [
          { title: 'Metric', kind: 'code' },
          { title: 'Change' },
          { title: 'From', kind: 'unit' },
          { title: 'To', kind: 'unit' },
          { title: 'After', kind: 'bound' },
          { title: 'Until', kind: 'bound' },
        ],
        rows,
        empty: 'no change',
        stacks: true,
      },
    ],
  }
}

function changedFirst(metrics: readonly Trend[]): Trend[] {
  const changed = metrics.filter((metric) => metric.changes.length > 0)
  return [...new Set([...changed, ...metrics])]
}

/**
 * The axis of a chart of values. All but shares are drawn as changes from the mean of the first
 * part, because a step of a few percent would hardly be visible on an axis from zero.
 */
interface Axis {
  y: Panel['y']
  position: (value: number) => number
  caption: string
}

function axisOf(metric: Trend): Axis {
  const { name, unit } = metric
  if (unit === 'share') {
    return { y: { title: name, kind: 'share' }, position: (value) => value, caption: '' }
  }
  const first = means(metric)[0]!.y
  return {
    y: { title: name, kind: 'change' },
    position: (value) => value / first - 1,
    caption: ` 0 % is the first mean, ${formatReach(first, unit)}.`,
  }
}

/** Empty if there is nothing to draw. */
function trend(metric: Trend): Section[] {
  const { name, unit, points } = metric
  if (points.length < 2) return []
  const { y, position, caption } = axisOf(metric)
  const chart: Chart = {
    id: `trend-${name.replaceAll(/[^\w]+/g, '-')}`,
    finding: finding(metric),
    caption:
      'Each point is the median of the candidate’s runs of one gate; the dashed line is the mean ' +
      `between two changes.${caption}`,
    x: { title: 'gates, by time', kind: 'count' },
    panels: [
      {
        y,
        height: { narrow: 140, wide: 180 },
        lines: [
          {
            name: 'gates',
            color: 'endToEnd',
            dash: '',
            points: points.map(({ value, ...gate }, i) => ({
              x: i + 1,
              y: position(value),
              tip: `${gateWords(gate)}: ${formatReach(value, unit)}, ${gate.decision}`,
            })),
          },
          {
            name: 'mean',
            color: 'grey',
            dash: '6 4',
            shape: 'step',
            points: means(metric).map((mean) => ({ x: mean.x, y: position(mean.y) })),
          },
        ],
      },
    ],
    moments: changeIndexes(metric).map((at, i) => ({
      at: at + 1,
      label: gateWords(metric.changes[i]!.until),
      color: metric.changes[i]!.direction === 'worse' ? ('bad' as const) : ('good' as const),
    })),
    table: {
      columns: ['gate', name],
      rows: points.map(({ value }, i) => [String(i + 1), formatReach(value, unit)]),
    },
  }
  return [{ title: name, blocks: [{ kind: 'figure', chart }] }]
}

function finding({ unit, changes: all, points, name }: Trend): string {
  const last = all.at(-1)
  if (last === undefined) return `${name} did not change over ${plural(points.length, 'gate')}`
  return `${name} ${sizeWords(unit, last)} at ${gateWords(last.until)}`
}

function changeIndexes({ changes: all, points }: Trend): number[] {
  return all.map(({ until }) => points.findIndex(({ id }) => id === until.id))
}

/** The mean of each part, drawn from its first gate to its last. */
function means(metric: Trend): { x: number; y: number }[] {
  const { changes: all, points, unit } = metric
  const starts = [0, ...changeIndexes(metric)]
  return starts.flatMap((from, i) => {
    const to = starts[i + 1] ?? points.length
    const y = i === 0 ? (all[0]?.before ?? level(points.slice(from, to), unit)) : all[i - 1]!.now
    return [
      { x: from + 1, y },
      { x: to, y },
    ]
  })
}

function level(points: Trend['points'], unit: Trend['unit']): number {
  const values = points.map(({ value }) => (unit === 'share' ? value : Math.log(value)))
  const mean = meanOf(values)
  return unit === 'share' ? mean : Math.exp(mean)
}
