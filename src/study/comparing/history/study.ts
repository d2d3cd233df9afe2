/** The study of a history: where the judged metrics of many gates changed. */
import { capital } from '../../../base/text.ts'
import type { PlanText } from '../../../report/frame/render/terminal.ts'
import { smallestChangeWords } from '../sentences.ts'
import type { ReportBody, VerdictMark } from '../../frame/study.ts'
import { INVALID, originOf, studyOf } from '../../frame/study.ts'
import type { HistoryLevel } from './sentences.ts'
import { gateWords, sizeWords } from './sentences.ts'
import type { HistoryDocument, Trend } from './document.ts'
import { historySchema } from './document.ts'
import type { HistoryPlan } from './options.ts'
import { NOTHING, formatReach, formatRoundShare, plural } from '../../../base/numbers.ts'
import type { Chart, Panel } from '../../../report/charts/chart.ts'
import type { Section } from '../../../report/frame/report.ts'
import { knownFacts } from '../../../report/frame/report.ts'
import type { Table } from '../../../report/text/table.ts'
import { tableOf } from '../../../report/text/table.ts'
import { levelOf } from './analyse.ts'

export const history = studyOf<HistoryPlan, HistoryDocument>({
  name: 'history',
  holds: 'the judged metrics of many gates over time, and between which gates they changed',
  schema: historySchema,
  whenInterrupted: '',
  planText,
  mark: markOf,
  body: historyBody,
  exit: ({ verdict }) => HISTORY_VERDICTS[verdict.outcome].exit,
})

function planText({ path, terms }: HistoryPlan): PlanText {
  return {
    title: 'Plan of a history',
    rows: [
      ['gates', path],
      ['counts', `a change of ${formatRoundShare(terms.smallestChange)}`],
      ['sends', 'nothing: the gates are read'],
    ],
  }
}

/** No verdict fails a build, because only the reader can say whether a change is acceptable. */
const HISTORY_VERDICTS: Record<HistoryDocument['verdict']['outcome'], VerdictMark> = {
  worse: { word: 'WORSE', sign: '✗', tone: 'doubt', exit: 'passed' },
  better: { word: 'BETTER', sign: '✓', tone: 'good', exit: 'passed' },
  changed: { word: 'CHANGED', sign: '~', tone: 'doubt', exit: 'passed' },
  steady: { word: 'STEADY', sign: '✓', tone: 'good', exit: 'passed' },
  'too-few': { word: 'TOO FEW', sign: '?', tone: 'doubt', exit: 'inconclusive' },
  invalid: INVALID,
}

function historyBody(document: HistoryDocument): ReportBody {
  const { metrics, terms } = document
  const named =
    `changes of at least ${smallestChangeWords(terms)}, at ` +
    `${formatRoundShare(terms.level)} over all metrics and places together`
  return {
    title: 'history of gates',
    facts: knownFacts(['History', plural(document.gates, 'gate')], ['Named', named]),
    sections: [changes(metrics), ...changedFirst(metrics).flatMap(trend)],
    origin: { name: 'Read from', ...originOf(document) },
    asked: null,
    cases: metrics.map(({ name }) => ({ name, result: { kind: 'passed' } })),
  }
}

/** A history of gates that failed is not marked as good. */
function markOf({ verdict, failed }: HistoryDocument): VerdictMark {
  const mark = HISTORY_VERDICTS[verdict.outcome]
  return mark.tone === 'good' && failed > 0 ? { ...mark, tone: 'doubt' } : mark
}

function levelWords(level: HistoryLevel, unit: Trend['unit']): string {
  return level === null ? '–' : formatReach(level, unit)
}

function changes(metrics: readonly Trend[]): Section {
  const rows = metrics.flatMap(({ name, unit, changes: all }) =>
    all.map((change) => [
      name,
      {
        text: sizeWords(unit, change),
        tone: change.direction === 'worse' ? ('bad' as const) : ('good' as const),
      },
      levelWords(change.before, unit),
      levelWords(change.now, unit),
      gateWords(change.after),
      gateWords(change.until),
    ]),
  )
  return {
    title: 'What changed',
    blocks: [tableOf(CHANGE_COLUMNS, rows, { empty: 'no change', stacks: true })],
  }
}

const CHANGE_COLUMNS: Table['columns'] = [
  { title: 'Metric', kind: 'code' },
  { title: 'Change' },
  { title: 'From', kind: 'unit' },
  { title: 'To', kind: 'unit' },
  { title: 'After', kind: 'bound' },
  { title: 'Until', kind: 'bound' },
]

function changedFirst(metrics: readonly Trend[]): Trend[] {
  const changed = metrics.filter((metric) => metric.changes.length > 0)
  return [...new Set([...changed, ...metrics])]
}

/**
 * The axis of a chart of values. All but shares are drawn as changes from the first level, because
 * a step of a few percent would hardly be visible on an axis from zero.
 */
interface TrendAxis {
  y: Panel['y']
  position: (value: number) => number
  caption: string
}

function axisOf({ name, unit }: Trend, first: number): TrendAxis {
  if (unit === 'share' || first <= 0) {
    const kind = unit === 'share' ? 'share' : unit === 'ms' ? 'duration' : 'count'
    return { y: { title: name, kind }, position: (value) => value, caption: '' }
  }
  return {
    y: { title: name, kind: 'change' },
    position: (value) => value / first - 1,
    caption: ` 0 % is the first median, ${formatReach(first, unit)}.`,
  }
}

/** Empty if there is nothing to draw: `never`, and gates without a value, are only in the table. */
function trend(metric: Trend): Section[] {
  const { name, unit, points } = metric
  const drawn = points.flatMap(({ value, ...gate }, i) =>
    typeof value === 'number' ? [{ ...gate, value, x: i + 1 }] : [],
  )
  const levels = levelsOf(metric)
  const [first] = levels
  if (drawn.length < 2 || first === undefined) return []
  const { y, position, caption } = axisOf(metric, first.y)
  const chart: Chart = {
    id: `trend-${name.replaceAll(/[^\w]+/g, '-')}`,
    heading: heading(metric),
    caption:
      'Each point is the median of the candidate’s runs of one gate. The dashed line is the median ' +
      `between two changes. ${decisionWords(drawn)}${caption}`,
    x: {
      title: 'gates, by time',
      kind: 'count',
      ticks: points.map((gate, i) => ({ value: i + 1, label: tickWords(gate) })),
    },
    panels: [
      {
        y,
        height: { narrow: 140, wide: 180 },
        lines: [
          {
            name: 'median',
            color: 'grey',
            dash: '6 4',
            shape: 'step',
            points: levels.map((level) => ({ x: level.x, y: position(level.y) })),
          },
        ],
        points: DECISION_MARKS.map(({ decision, ...mark }) => ({
          ...mark,
          points: drawn
            .filter((gate) => gate.decision === decision)
            .map(({ value, x, ...gate }) => {
              const tip = `${tickWords(gate)}: ${formatReach(value, unit)}, ${gate.decision}`
              return { x, y: position(value), low: null, high: null, tip }
            }),
        })),
      },
    ],
    moments: changeIndexes(metric).map((at, i) => ({
      at: at + 1,
      label: gateWords(metric.changes[i]!.until),
      color: metric.changes[i]!.direction === 'worse' ? ('bad' as const) : ('good' as const),
    })),
    table: {
      columns: ['gate', 'commit', 'date', 'decision', name],
      rows: points.map(({ value, commit, at, decision }, i) => [
        String(i + 1),
        commit ?? NOTHING,
        at.slice(0, DATE_CHARACTERS),
        decision,
        levelWords(value, unit),
      ]),
    },
  }
  return [{ title: name, blocks: [{ kind: 'figure', chart }] }]
}

/** A decision is seen by its colour and by its shape. */
const DECISION_MARKS = [
  { decision: 'pass', color: 'service', shape: 'circle', noun: 'a circle' },
  { decision: 'fail', color: 'error', shape: 'cross', noun: 'a cross' },
  { decision: 'inconclusive', color: 'response', shape: 'diamond', noun: 'a diamond' },
  { decision: 'baseline', color: 'grey', shape: 'tick', noun: 'a tick' },
] as const

function decisionWords(drawn: readonly { decision: string }[]): string {
  const shown = DECISION_MARKS.filter((mark) =>
    drawn.some(({ decision }) => decision === mark.decision),
  )
  const words = shown.map(({ decision, noun }) => `${decision} is ${noun}`).join(', ')
  return words === '' ? '' : `${capital(words)}.`
}

const DATE_CHARACTERS = 10
const SHORT_COMMIT = 8

/** `c0ffee40 2026-11-21`; only the date without a commit. */
function tickWords({ commit, at }: Pick<Trend['points'][number], 'commit' | 'at'>): string {
  const date = at.slice(0, DATE_CHARACTERS)
  return commit === null ? date : `${commit.slice(0, SHORT_COMMIT)} ${date}`
}

function heading({ unit, changes: all, points, name }: Trend): string {
  const last = all.at(-1)
  if (last === undefined) return `${name} did not change over ${plural(points.length, 'gate')}`
  return `${name} ${sizeWords(unit, last)} at ${gateWords(last.until)}`
}

function changeIndexes({ changes: all, points }: Trend): number[] {
  return all.map(({ until }) => points.findIndex(({ id }) => id === until.id))
}

/** The median of each part that has one, drawn from its first gate to its last. */
function levelsOf(metric: Trend): { x: number; y: number }[] {
  const { changes: all, points } = metric
  const starts = [0, ...changeIndexes(metric)]
  return starts.flatMap((from, i) => {
    const to = starts[i + 1] ?? points.length
    const y = i === 0 ? (all[0]?.before ?? levelOf(points.slice(from, to))) : all[i - 1]!.now
    if (typeof y !== 'number') return []
    return [
      { x: from + 1, y },
      { x: to, y },
    ]
  })
}
