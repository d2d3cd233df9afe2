/** Shows how long users wait, by percentile on a nines axis. */
import type { DistributionResult, Metric, ResultDocument } from '../../../../result/document.ts'
import type { Chart, Line, LinePoint, Plot } from '../../../charts/chart.ts'
import type { Color } from '../../../charts/palette.ts'
import { percentile } from '../../../charts/ticks.ts'
import {
  formatCount,
  formatMs,
  formatReach,
  formatValue,
  NOTHING,
  plural,
} from '../../../../base/numbers.ts'
import { isTooFew, neverNote } from '../../../../result/metrics/sentences.ts'
import type { Block } from '../../../frame/report.ts'
import type { Medium, Table } from '../../../text/table.ts'
import { columnsOf, pageTable } from '../../../text/table.ts'
import type { RunSection } from '../section.ts'
import {
  metricText,
  findMetric,
  intervalOf,
  shortCell,
  STATISTICS,
  waitLabel,
  waitNotes,
  waitRows,
} from './rows.ts'
import type { WaitRow } from './rows.ts'

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
    { kind: 'figure', chart: waitChart(document) },
    waitTable(waitRows(document)),
    ...waitNotes(document).map((text): Block => ({ kind: 'prose', as: 'muted', text, on: WORDS })),
  ],
}

/** The values themselves, when they are so few that quantiles say less; absent otherwise. */
export const FEW_VALUES: RunSection = {
  chapter: 'How long people wait',
  title: 'Too few for quantiles: the individual values',
  blocks: (document) => [
    pageTable(
      columnsOf(['what', 'values, in increasing order'], ['unfinished', 'never']),
      Object.entries(document.distributions)
        .filter(([, { values = [] }]) => values.length > 0)
        .map(([name, { values = [], censored, never }]) => [
          waitLabel(name, document),
          values.map((value) => formatMs(value)).join(', '),
          String(censored),
          String(never),
        ]),
    ),
  ],
}

const WORDS: readonly Medium[] = ['terminal', 'markdown']

function waitTable(rows: readonly WaitRow[]): Table {
  const units = [...STATISTICS, '95 % CI of p95']
  return {
    kind: 'table',
    columns: [
      { title: 'What users wait for' },
      ...units.map((title) => ({ title, kind: 'unit' as const })),
    ],
    rows: rows.map((row) => [
      `${row.part ? '· ' : ''}${row.label}`,
      ...STATISTICS.map((name) => shortCell(row.cells[name])),
      intervalOf(row, 'p95') ?? '',
    ]),
    empty: null,
    on: WORDS,
  }
}

function waitChart({ distributions, ...document }: ResultDocument): Chart {
  const plots = PANELS.map(({ title, curves }): Plot => ({
    x: { title: '', kind: 'nines' },
    panels: [
      {
        y: { title, kind: 'duration' },
        height: { narrow: 218, wide: 218 },
        lines: curves.flatMap(([name, label, color, dash]) => {
          const curve = curveOf(distributions[name])
          return curve === null ? [] : [{ ...curve, name: label, color, dash }]
        }),
      },
    ],
  })).filter(({ panels }) => panels.some(({ lines }) => lines.length > 0))
  const [first = NOTHING_MEASURED, ...beside] = plots
  const { n = 0, quantiles = [] } = distributions['execution'] ?? {}
  const isDrawn = n === 0 || quantiles.some(({ q }) => q >= MEDIAN)
  return {
    id: 'waits',
    heading: heading({ ...document, distributions }),
    caption:
      'Share of executions or requests that took this long or less. Each line ends where its ' +
      'sample ends; an arrow shows from which share on they never got that far. The band is its ' +
      '95 % interval. Kickoff response counts per arrival, from its intended start until it was ' +
      'accepted, including retries and pauses. Status response counts from the time a request was ' +
      `intended, service from the time it was sent.${isDrawn ? '' : NO_LINE}`,
    ...first,
    beside,
    table: [quantileTable(distributions)],
  }
}

const NO_LINE = ' End to end has no line, because fewer than half of the executions ended.'
const NOTHING_MEASURED: Plot = { x: { title: '', kind: 'nines' }, panels: [] }

const MEDIAN = 0.5

/**
 * One curve from the median on: it ends where its sample ends, or in an arrow where the executions
 * begin for which the wait never ended. The largest wait that ended is then its last point; not
 * when some executions were given up, because those may have ended later.
 */
function curveOf(
  distribution: DistributionResult | undefined,
): Pick<Line, 'points' | 'end' | 'endlessFrom'> | null {
  const { quantiles = [], max = null, censored = 0 } = distribution ?? {}
  const never = neverShare(distribution)
  const points = quantiles.filter(({ q }) => q >= MEDIAN).map(pointOf)
  const last = points.at(-1)
  if (never === 0) {
    if (last === undefined) return null
    return { points, end: `${percentile(last.x)} ${formatMs(last.y)}` }
  }
  const end = 1 - never
  if (end > (last?.x ?? MEDIAN) && censored === 0 && max !== null) points.push({ x: end, y: max })
  const words = `${formatValue(never, 'share')} never`
  return { points, end: words, endlessFrom: Math.max(MEDIAN, end, last?.x ?? 0) }
}

/** Nothing can be drawn beyond the last wait that ended: the band ends there. */
function pointOf({ q, value, low, high }: DistributionResult['quantiles'][number]): LinePoint {
  const tip = `${percentile(q)}: ${formatMs(value)}`
  return { x: q, y: value, low, high: high === 'never' ? value : high, tip }
}

/** The share of executions for which the wait never ended. */
function neverShare(distribution: DistributionResult | undefined): number {
  const { n, never } = distribution ?? { n: 0, never: 0 }
  return n === 0 ? 0 : never / n
}

function heading(document: Pick<ResultDocument, 'metrics' | 'distributions'>): string {
  const [p50, p95, max] = (['p50', 'p95', 'max'] as const).map((name) =>
    findMetric(document, 'execution', name),
  )
  const { n = 0, censored = 0, never = 0 } = document.distributions['execution'] ?? {}
  if (max == null || n === censored + never) {
    return 'No execution ended, so waiting times are unknown'
  }
  const most =
    max.value === 'never' ? (neverNote({ n, never }) ?? '') : `the longest took ${metricText(max)}`
  if (p50?.value == null) return `${hiddenMedian(p50, censored + never, n)}; ${most}`
  if (p50.value === 'never') return `At least half of the executions never ended; ${most}`
  const half = `Half of the executions took at most ${metricText(p50)} end to end`
  if (p95?.value == null || p95.value === 'never') return `${half}; ${most}`
  const rest = max.value === 'never' ? `; ${most}` : ''
  return `${half}, 95 of 100 at most ${metricText(p95)}${rest}`
}

function hiddenMedian(p50: Metric | null | undefined, unended: number, n: number): string {
  return p50 == null || isTooFew(p50)
    ? 'Too few executions for a quantile'
    : `${formatCount(unended)} of ${plural(n, 'execution')} did not end`
}

function quantileTable(distributions: ResultDocument['distributions']): Table {
  return pageTable(
    columnsOf(['distribution'], ['quantile', 'value', '95 % from', 'to', 'samples']),
    Object.entries(distributions).flatMap(([name, each]) => quantileRows(name, each)),
    'Nothing was measured.',
  )
}

function quantileRows(name: string, distribution: DistributionResult): string[][] {
  const { quantiles, never, n } = distribution
  const known = quantiles.map(({ q, value, low, high }) => [
    name,
    percentile(q),
    formatMs(value),
    low === null ? NOTHING : formatMs(low),
    high === null ? NOTHING : formatReach(high, 'ms'),
    String(n),
  ])
  const from = `over ${percentile(1 - neverShare(distribution))}`
  return never === 0 ? known : [...known, [name, from, 'never', NOTHING, NOTHING, String(n)]]
}
