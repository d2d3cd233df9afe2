/** Arrivals, executions in flight, latency and errors on one axis of time. */
import type { ResultDocument, Series } from '../../../../result/document.ts'
import type { Cell, Chart, ChartLane, LinePoint, Panel, Plot } from '../../../charts/chart.ts'
import { shortened } from '../../../charts/lanes.ts'
import { roundStep, stepWords } from '../../../charts/ticks.ts'
import {
  formatCount,
  formatInterval,
  formatMs,
  formatSpan,
  NOTHING,
  plural,
  formatTimes,
} from '../../../../base/numbers.ts'
import { plainText } from '../../../text/format.ts'
import { figures } from '../../../frame/report.ts'
import type { Table } from '../../../text/table.ts'
import { columnsOf, pageTable } from '../../../text/table.ts'
import { metricValueIn } from '../../summary.ts'
import type { RunSection } from '../section.ts'
import { backlogChart } from './backlog.ts'
import type { Stretch } from '../../../../result/metrics/stretches.ts'
import { FEWEST_ENDED, stretches } from '../../../../result/metrics/stretches.ts'
import type { NamedSpan, TimelineColumns } from './series.ts'
import { namedBands, readableColumns, rebin, rebinned } from './series.ts'
import { sumOf } from '../../../../result/statistics/moments.ts'
import type { FaultResult } from '../../../../result/disturbances.schema.ts'

export const OVER_TIME: RunSection = {
  chapter: 'Over time',
  title: null,
  blocks: (document) => figures(backlogChart(document), timeChart(document)),
}

const WIDE_PX = 1_040
const NARROW_PX = 344

export function timeChart(document: ResultDocument): Chart | null {
  const { series } = document
  if (sumOf(series.offered) === 0) return null
  const known = stretches(series)
  return {
    id: 'over-time',
    heading: heading(document),
    caption: caption(document, known),
    ...plotOf(document, known, WIDE_PX),
    narrow: plotOf(document, known, NARROW_PX),
    table: [
      seriesTable(rebin(series, 60)),
      stretchTable(known),
      bandTable(series),
      faultTable(document),
    ],
  }
}

function caption({ series, faults }: ResultDocument, known: readonly Stretch[]): string {
  const { heat, errors, bands } = series
  const hasFaults = (faults ?? []).length > 0
  const sentences: [isTrue: boolean, sentence: string][] = [
    [true, 'Top: kickoffs offered and accepted, and executions completed. Middle: in flight.'],
    [sumOf(heat.counts.flat()) === 0, 'No execution ended.'],
    [
      sumOf(heat.counts.flat()) > 0,
      'Bottom: how long executions took, by when they ended; a stronger colour means more.',
    ],
    [
      known.length > 0,
      `The lines are p50 and p95 until the last arrival, each step over at least ${FEWEST_ENDED} ` +
        'executions.',
    ],
    [bands.length > 0 || hasFaults, 'Shaded times are named above the picture.'],
    [hasFaults, 'Ticks beside the name of a fault are the answers that it changed.'],
    [Object.keys(errors).length > 0, 'Errors are ticks below.'],
  ]
  return sentences.flatMap(([isTrue, sentence]) => (isTrue ? [sentence] : [])).join(' ')
}

function heading(document: ResultDocument): string {
  const { series } = document
  const offered = sumOf(series.offered)
  const accepted = sumOf(series.accepted)
  const all =
    accepted >= offered
      ? 'every kickoff was accepted'
      : `${formatCount(accepted)} of ${formatCount(offered)} kickoffs were accepted`
  return (
    `Up to ${plural(metricValueIn(document, 'inFlight.max') ?? 0, 'execution')} in flight; ` +
    `${all}${faultsFinding(document)}`
  )
}

/** `width`: of the picture, in which that many columns are readable. */
function plotOf(document: ResultDocument, known: readonly Stretch[], width: number): Plot {
  const series = rebin(document.series, readableColumns(document.series, width))
  const interval = series.intervalMs
  const faults = faultLanes(document, (counts) => rebinned(counts, document.series, series))
  const bands = [...namedBands(series), ...faultSpans(document)]
  return {
    x: { title: '', kind: 'elapsed' },
    panels: [arrivalsPanel(series), inFlightPanel(series), ...heatPanel(series, known)],
    spans: bands.map(({ name, fromMs, toMs }) => ({
      from: fromMs,
      to: toMs,
      label: plainText(name, 40),
    })),
    lanes: [
      { title: 'Faults of the crew', color: 'extra', lanes: faults, interval },
      { title: 'Errors that the client saw', color: 'error', lanes: errorLanes(series), interval },
    ],
  }
}

const LOW = { narrow: 84, wide: 84 }

function arrivalsPanel(series: TimelineColumns): Panel {
  const unitMs = roundStep(series.intervalMs)
  const rates = (counts: readonly number[]): LinePoint[] =>
    steps(
      counts.map((count) => (count * unitMs) / series.intervalMs),
      series,
    )
  return {
    y: { title: `Executions per ${stepWords(unitMs)}`, kind: 'count' },
    height: LOW,
    lines: [
      {
        name: 'accepted',
        color: 'endToEnd',
        dash: '',
        shape: 'step',
        points: rates(series.accepted),
      },
      {
        name: 'offered',
        color: 'response',
        dash: '5 3',
        shape: 'step',
        points: rates(series.offered),
      },
      {
        name: 'completed',
        color: 'service',
        dash: '2 3',
        shape: 'step',
        points: rates(series.completed),
      },
    ],
  }
}

function inFlightPanel(series: TimelineColumns): Panel {
  const points = steps(series.inFlight, series).map(({ x, y }) => ({ x, y, low: 0, high: y }))
  return {
    y: { title: 'In flight, at the end of each step', kind: 'count' },
    height: LOW,
    lines: [{ name: '', color: 'endToEnd', dash: '', shape: 'step', unnamed: true, points }],
  }
}

/** Each value lasts for an interval. */
function steps(values: readonly number[], { intervalMs }: TimelineColumns): LinePoint[] {
  return [...values, values.at(-1) ?? 0].map((y, at) => ({ x: at * intervalMs, y }))
}

/** A cell with fewer executions never gets the darkest colour. */
const DARKEST_AT_LEAST = 4

/**
 * Cells of time by latency; the opacity follows the square root of the count, so that single
 * executions are still visible.
 */
function heatPanel(series: TimelineColumns, known: readonly Stretch[]): Panel[] {
  const { edgesMs, counts } = series.heat
  const most = Math.max(...counts.flat(), DARKEST_AT_LEAST)
  const cells = counts.flatMap((row, column) =>
    row.flatMap((count, bucket): Cell[] => {
      if (count === 0) return []
      const [low, high] = [edgesMs[bucket] ?? 0, edgesMs[bucket + 1] ?? 0]
      return [
        {
          from: { x: column * series.intervalMs, y: low },
          to: { x: (column + 1) * series.intervalMs, y: high },
          opacity: Math.round(100 * (0.12 + 0.68 * Math.sqrt(count / most))) / 100,
          tip: `${plural(count, 'execution')} of ${formatInterval({ low, high }, 'ms')}`,
        },
      ]
    }),
  )
  if (cells.length === 0) return []
  const level = (name: 'p50Ms' | 'p95Ms'): LinePoint[] => [
    ...known.map((stretch) => ({ x: stretch.fromMs, y: stretch[name] })),
    ...known.slice(-1).map((stretch) => ({ x: stretch.toMs, y: stretch[name] })),
  ]
  const title = 'End to end of executions that ended then'
  const lines = [
    { name: 'p95', color: 'error', dash: '5 3', shape: 'step', points: level('p95Ms') },
    { name: 'p50', color: 'ink', dash: '', shape: 'step', points: level('p50Ms') },
  ] as const
  return [
    {
      y: { title, kind: 'duration', log: true },
      height: { narrow: 180, wide: 180 },
      lines: known.length === 0 ? [] : lines,
      cells,
    },
  ]
}

const MOST_ERROR_LANES = 7

/** The lanes of errors, the most frequent first. */
function errorLanes({ errors }: TimelineColumns): ChartLane[] {
  const lanes = Object.entries(errors)
    .sort(([, a], [, b]) => sumOf(b) - sumOf(a))
    .map(([name, counts]) => {
      const label = `${plainText(name, 40)} ${formatCount(sumOf(counts))}`
      return { label, bands: [], counts }
    })
  return shortened(lanes, MOST_ERROR_LANES, (others) => {
    const count = sumOf(others.flatMap(({ counts }) => counts))
    return `${plural(others.length, 'more class', 'more classes')} ${formatCount(count)}`
  })
}

function seriesTable(series: TimelineColumns): Table {
  return pageTable(
    columnsOf(
      [],
      ['from', 'offered', 'accepted', 'completed', 'not served', 'ended', 'in flight', 'errors'],
    ),
    series.offered.map((offered, column) => [
      formatMs(column * series.intervalMs),
      String(offered),
      String(series.accepted[column] ?? 0),
      String(series.completed[column] ?? 0),
      String(series.unserved[column] ?? 0),
      String(series.ended[column] ?? 0),
      String(series.inFlight[column] ?? 0),
      String(sumOf(Object.values(series.errors).map((counts) => counts[column] ?? 0))),
    ]),
  )
}

function bandTable(series: Series): Table {
  return pageTable(
    columnsOf(['shaded'], ['from', 'to']),
    namedBands(series).map(({ name, fromMs, toMs }) => [name, formatMs(fromMs), formatMs(toMs)]),
  )
}

function stretchTable(known: readonly Stretch[]): Table {
  return pageTable(
    columnsOf([], ['from', 'to', 'ended', 'end to end p50, about', 'p95, about']),
    known.map(({ fromMs, toMs, ended, p50Ms, p95Ms }) => [
      formatMs(fromMs),
      formatMs(toMs),
      formatCount(ended),
      formatMs(p50Ms),
      formatMs(p95Ms),
    ]),
  )
}

const MOST_LANES = 7
/** The maximum number of scheduled faults that shade the picture: more would darken all of it. */
const MOST_SHADES = 4
const NAME_LIMIT = 40

type Faults = readonly FaultResult[]

/** Faults with a schedule first, in the order of what they affected. */
function ordered(faults: Faults): Faults {
  return [...faults.filter(({ always }) => !always), ...faults.filter(({ always }) => always)]
}

/** `rebinned` returns the counts by the picture's columns. */
export function faultLanes(
  { faults }: ResultDocument,
  rebinned: (counts: readonly number[]) => number[],
): ChartLane[] {
  const lanes = ordered(faults ?? []).map((fault) => ({
    label: `${plainText(fault.name, NAME_LIMIT)}: ${faultWords(fault)}`,
    bands: fault.bands,
    counts: rebinned(fault.counts),
  }))
  return shortened(lanes, MOST_LANES, (others) => {
    const touched = sumOf(others.flatMap(({ counts }) => counts))
    return `${plural(others.length, 'more fault')}: changed ${plural(touched, 'answer')}`
  })
}

/**
 * Says how often a fault was on, for example `on 3 times, changed 61 answers`; `happened twice`.
 */
export function faultWords(fault: FaultResult): string {
  const { always, kind } = fault
  const touching = `changed ${plural(changedAnswers([fault]), 'answer')}`
  if (always) return touching
  const often = formatTimes(fault.times)
  if (kind === 'restart') return `happened ${often}`
  return kind === 'refuse' ? `on ${often}` : `on ${often}, ${touching}`
}

/** When the faults with a schedule were on. */
export function faultSpans({ faults }: ResultDocument): NamedSpan[] {
  return (faults ?? [])
    .filter(({ bands }) => bands.length > 0)
    .slice(0, MOST_SHADES)
    .flatMap(({ name, bands }) => bands.map((band) => ({ name, ...band })))
}

/** For example `; faults of the crew changed 61 answers`; empty without any. */
function faultsFinding({ faults }: ResultDocument): string {
  const answers = changedAnswers(faults ?? [])
  return answers === 0 ? '' : `; faults of the crew changed ${plural(answers, 'answer')}`
}

function changedAnswers(faults: Faults): number {
  return sumOf(faults.flatMap(({ touched }) => Object.values(touched)))
}

function faultTable({ faults }: ResultDocument): Table {
  return pageTable(
    columnsOf(
      ['fault of the crew', 'kind', 'on'],
      ['kickoff answers changed', 'status answers changed'],
    ),
    ordered(faults ?? []).map((fault) => [
      plainText(fault.name),
      plainText(fault.kind),
      timesText(fault),
      formatCount(fault.touched.kickoff),
      formatCount(fault.touched.status),
    ]),
  )
}

const BANDS_WRITTEN = 4

function timesText({ always, bands, times }: FaultResult): string {
  if (always) return 'all the time'
  if (bands.length === 0) return NOTHING
  const written = bands.slice(0, BANDS_WRITTEN).map(formatSpan)
  const more = times - written.length
  return [...written, ...(more > 0 ? [`${formatCount(more)} more`] : [])].join('; ')
}
