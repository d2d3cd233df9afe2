/** Shows how long users wait, by percentile on a nines axis. */
import { scaleLinear } from 'd3-scale'
import type { DistributionResult, Metric, ResultDocument } from '../../../../result/document.ts'
import { formatMs, formatReach, isTooFew, neverNote, NOTHING } from '../../../frame/format.ts'
import type { Block } from '../../../frame/report.ts'
import type { RunSection } from '../section.ts'
import { cellText, findMetric, intervalOf, STATISTICS, waitRows } from './rows.ts'
import type { WaitRow } from './rows.ts'
import { waitLines } from './terminal.ts'
import {
  curvePoints,
  drawCurve,
  endHeight,
  endLabelWidth,
  endPosition,
  extentOf,
  neverShare,
  percentile,
} from '../../../charts/nines-curve.ts'
import type { NinesCurve } from '../../../charts/nines-curve.ts'
import { durationScale } from '../../../charts/duration-scale.ts'
import type { FigureParts, Picture } from '../../../charts/figure.ts'
import { spread } from '../../../charts/labels.ts'
import { html } from '../../../frame/markup.ts'
import type { MarkupContent, Markup } from '../../../frame/markup.ts'
import type { Color } from '../../../charts/palette.ts'
import { bottomAxis, leftAxis, panelTitle } from '../../../charts/plot.ts'
import type { Rect } from '../../../charts/plot.ts'
import { table } from '../../../frame/table.ts'
import { ninesTicks } from '../../../charts/ticks.ts'

interface CurvePanel {
  title: string
  curves: NinesCurve[]
}

const PANELS: readonly { title: string; curves: readonly [string, string, Color, string][] }[] = [
  {
    title: 'One execution',
    curves: [
      ['execution', 'end to end', 'endToEnd', ''],
      ['detectionDelay', 'detection delay', 'extra', '6 3'],
    ],
  },
  {
    title: 'Kickoff request',
    curves: [
      ['kickoff.response', 'response', 'response', ''],
      ['kickoff.service', 'service', 'service', '6 3'],
    ],
  },
  {
    title: 'Status request',
    curves: [
      ['status.response', 'response', 'response', ''],
      ['status.service', 'service', 'service', '6 3'],
    ],
  },
]

export const WAITS: RunSection = {
  chapter: 'How long people wait',
  title: null,
  blocks: (document) => [
    { kind: 'drawing', figure: waitFigure(document) },
    { kind: 'lines', lines: (paint, width) => waitLines(document, paint, width) },
    waitMarkdown(document),
  ],
}

function waitMarkdown(document: ResultDocument): Block {
  return {
    kind: 'table',
    columns: ['what users wait for', ...STATISTICS, '95 % interval of p95'].map((each) => ({
      title: each,
    })),
    rows: waitRows(document).map(cellsOf),
    empty: null,
    on: ['markdown'],
  }
}

function cellsOf(row: WaitRow): string[] {
  const times = STATISTICS.map((name) => cellText(row.cells[name]))
  const label = row.note === null ? row.label : `${row.label} (${row.note})`
  return [label, ...times, intervalOf(row, 'p95') ?? NOTHING]
}

function waitFigure(document: ResultDocument): FigureParts {
  const panels = panelsOf(document)
  return {
    id: 'waits',
    heading: finding(document),
    caption:
      'Share of executions or requests that took this long or less. Each line ends ' +
      'where its sample ends, or with an arrow where the ' +
      'events begin that never came; the band is its 95 % interval. ' +
      'Kickoff response counts per arrival, from its intended start until it was ' +
      'accepted, including retries and pauses; status response from the ' +
      'time a request was intended; service per request, from the time it was sent.',
    alternative: finding(document),
    draw: (width) => drawPanels(panels, width),
    table: quantileTable(document),
  }
}

function panelsOf(document: ResultDocument): CurvePanel[] {
  return PANELS.map(({ title, curves }) => ({
    title,
    curves: curves.flatMap(([name, label, color, dash]) => {
      const points = curvePoints(document.distributions[name])
      const never = neverShare(document.distributions[name])
      return points.length + never === 0 ? [] : [{ label, color, dash, points, never }]
    }),
  })).filter(({ curves }) => curves.length > 0)
}

function finding(document: ResultDocument): string {
  const [p50, p95, max] = (['p50', 'p95', 'max'] as const).map((name) =>
    findMetric(document, 'execution', name),
  )
  const { n = 0, censored = 0, never = 0 } = document.distributions['execution'] ?? {}
  if (max == null || n === censored + never) {
    return 'No execution ended, so waiting times are unknown'
  }
  const most = max.value === 'never' ? notServed(n, never) : `the longest took ${cellText(max)}`
  if (p50?.value == null) return `${hiddenMedian(p50)}; ${most}`
  if (p50.value === 'never') return `At least half of the executions never ended; ${most}`
  const half = `Half of the executions took at most ${cellText(p50)} end to end`
  if (p95?.value == null || p95.value === 'never') return `${half}; ${most}`
  const rest = max.value === 'never' ? `; ${most}` : ''
  return `${half}, 95 of 100 at most ${cellText(p95)}${rest}`
}

function notServed(n: number, never: number): string {
  return neverNote({ n, never }) ?? ''
}

function hiddenMedian(p50: Metric | null | undefined): string {
  return p50 == null || isTooFew(p50)
    ? 'Too few executions for a quantile'
    : 'At least half of the executions had not ended'
}

const PANEL_HEIGHT = 300

/**
 * Panels side by side when there is room: the execution's panel first, as wide as the two others.
 */
function drawPanels(panels: readonly CurvePanel[], width: number): Picture {
  if (panels.length === 0) {
    return {
      height: 40,
      body: html`<text class="quiet" x="0" y="24">Too few samples for a quantile.</text>`,
    }
  }
  const places = layout(panels.length, width)
  const height = Math.max(...places.map(({ bottom }) => bottom)) + 32
  return { height, body: panels.map((panel, index) => drawPanel(panel, places[index] as Rect)) }
}

/** The places of the panels; the labels of the durations have their room on the left. */
function layout(count: number, width: number): Rect[] {
  const shares = width < 500 ? [1, 1, 1] : width < 900 ? [1, 0.5, 0.5] : [0.42, 0.29, 0.29]
  let [x, y] = [0, 0]
  return shares.slice(0, count).map((share) => {
    if (x + share > 1.001) [x, y] = [0, y + PANEL_HEIGHT]
    const left = x * width + 60
    x += share
    return {
      left,
      top: y + 38,
      right: x * width,
      bottom: y + PANEL_HEIGHT - 44,
    }
  })
}

const DURATION_TICKS = 6

function drawPanel({ title, curves }: CurvePanel, place: Rect): Markup {
  const rect = { ...place, right: place.right - Math.max(...curves.map(endLabelWidth)) }
  const y = durationScale(
    curves.flatMap(({ points }) => points.flatMap(extentOf)),
    [rect.bottom, rect.top],
    DURATION_TICKS,
  )
  const last = Math.max(...curves.map(endPosition), 1)
  const x = scaleLinear([0, last], [rect.left, rect.right])
  const ends = curves.map((curve) => endHeight(curve, y.scale, rect))
  const labels = spread(ends, 34, rect.top + 8, rect.bottom - 22)
  return html`${panelTitle({ ...rect, left: rect.left - 60 }, title)}
  ${leftAxis(rect, y.ticks, y.scale)}${bottomAxis(rect, ninesTicks(last), x)}
  ${curves.map((curve, at) => drawCurve(curve, { x, y: y.scale, rect, labelY: labels[at] ?? 0 }))}`
}

function quantileTable(document: ResultDocument): Markup {
  const rows = Object.entries(document.distributions).flatMap(([name, each]) =>
    quantileRows(name, each),
  )
  return table(
    [
      { title: 'distribution' },
      { title: 'quantile', kind: 'number' },
      { title: 'value', kind: 'number' },
      { title: '95 % from', kind: 'number' },
      { title: 'to', kind: 'number' },
      { title: 'samples', kind: 'number' },
    ],
    rows,
    'Nothing was measured.',
  )
}

function quantileRows(name: string, distribution: DistributionResult): MarkupContent[][] {
  const { quantiles, never, n } = distribution
  const known = quantiles.map(({ q, value, low, high }) => [
    name,
    percentile(q),
    formatMs(value),
    low === null ? NOTHING : formatMs(low),
    high === null ? NOTHING : formatReach(high, 'ms'),
    n,
  ])
  const from = `over ${percentile(1 - neverShare(distribution))}`
  return never === 0 ? known : [...known, [name, from, 'never', NOTHING, NOTHING, n]]
}
