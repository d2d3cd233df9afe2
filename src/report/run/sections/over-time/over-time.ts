/** Arrivals, executions in flight, latency and errors on one axis of time. */
import { scaleLinear } from 'd3-scale'
import { area as areaShape, curveStepAfter, line as lineShape } from 'd3-shape'
import type { ResultDocument, Series } from '../../../../result/document.ts'
import { formatCount, formatMs, plainText, plural } from '../../../frame/format.ts'
import type { RunSection } from '../section.ts'
import type { FigureParts, Picture } from '../../../charts/figure.ts'
import {
  faultLanes,
  faultsAlternative,
  faultsFinding,
  faultShades,
  faultTable,
} from './fault-lanes.ts'
import { drawHeat, usedBuckets } from '../../../charts/time/heat.ts'
import { spread } from '../../../charts/labels.ts'
import { drawLanes, lanesHeight, shortened } from '../../../charts/time/lanes.ts'
import type { ChartLane } from '../../../charts/time/lanes.ts'
import { html } from '../../../frame/markup.ts'
import type { MarkupContent, Markup } from '../../../frame/markup.ts'
import { area, bottomAxis, leftAxis, line, panelTitle, sideLabel } from '../../../charts/plot.ts'
import type { Rect, Scale } from '../../../charts/plot.ts'
import { readableColumns, rebin, rebinned } from '../../../charts/time/rebin.ts'
import type { TimelineColumns } from '../../../charts/time/rebin.ts'
import { drawShades } from '../../../charts/time/shades.ts'
import { FEWEST_ENDED, stretches } from '../../../charts/time/stretches.ts'
import type { ChartStretch } from '../../../charts/time/stretches.ts'
import { table } from '../../../frame/table.ts'
import { countTicks, elapsedTicks, roundStep, stepWords } from '../../../charts/ticks.ts'

export const OVER_TIME: RunSection = {
  chapter: 'Over time',
  title: null,
  blocks: (document) => [{ kind: 'drawing', figure: timeFigure(document) }],
}

function timeFigure(document: ResultDocument): FigureParts {
  const { series } = document
  const known = stretches(series)
  const lines =
    known.length === 0
      ? ''
      : `The lines are p50 and p95, each step over at least ${FEWEST_ENDED} executions.`
  const tables = [seriesTable(rebin(series, 60)), stretchTable(known), bandTable(series)]
  const errors = Object.keys(series.errors).length === 0 ? '' : 'Errors are ticks below.'
  const shades = series.bands.length === 0 ? '' : 'Shaded times are named above the picture.'
  const faults =
    (document.faults ?? []).length === 0
      ? ''
      : 'Shaded are the times of the faults, and others that are named above the picture; ticks ' +
        'beside the name of a fault are the answers that it changed.'
  return {
    id: 'over-time',
    heading: finding(document),
    caption: [
      'Top: kickoffs offered and accepted.',
      'Middle: executions in flight.',
      'Bottom: how long executions took, by when they ended; a stronger colour means more.',
      lines,
      faults === '' ? shades : faults,
      errors,
    ]
      .filter((sentence) => sentence !== '')
      .join(' '),
    alternative:
      `${finding(document)}.${bandWords(series)}${faultsAlternative(document)} ` +
      errorWords(series),
    draw: (width) => draw(document, known, width),
    table: html`${tables}${faultTable(document)}`,
  }
}

function finding(document: ResultDocument): string {
  const { series, generator } = document
  const offered = total(series.offered)
  const accepted = total(series.accepted)
  if (offered === 0) return 'Nothing arrived'
  const all =
    accepted >= offered
      ? 'every kickoff was accepted'
      : `${formatCount(accepted)} of ${formatCount(offered)} kickoffs were accepted`
  return (
    `Up to ${plural(generator.maxInFlight, 'execution')} in flight; ` +
    `${all}${faultsFinding(document)}`
  )
}

/** For example ` Shaded: warm-up 0 ms to 30.0 s.`; empty without any. */
function bandWords({ bands }: Series): string {
  const words = bands.map(
    ({ name, fromMs, toMs }) => `${plainText(name, 40)} ${formatMs(fromMs)} to ${formatMs(toMs)}`,
  )
  return words.length === 0 ? '' : ` Shaded: ${words.join(', ')}.`
}

function errorWords({ errors }: Series): string {
  const words = Object.entries(errors).map(
    ([name, counts]) => `${plainText(name, 40)} ${total(counts)}`,
  )
  return words.length === 0 ? 'No errors' : `Errors: ${words.join(', ')}`
}

const LEFT = 64
const RIGHT = 76
const GAP = 48

function draw(document: ResultDocument, known: readonly ChartStretch[], width: number): Picture {
  const series = rebin(document.series, readableColumns(document.series, width))
  const columns = series.offered.length
  const durationMs = Math.max(1, columns) * series.intervalMs
  const x = scaleLinear([0, durationMs], [LEFT, width - RIGHT])
  const at = (top: number, height: number): Rect => ({
    left: LEFT,
    right: width - RIGHT,
    top,
    bottom: top + height,
  })
  const faults = faultLanes(document, (counts) => rebinned(counts, document.series, series))
  const errors = errorLanes(series)
  const shades = [...series.bands, ...faultShades(document)]
  const bandTop = shades.length > 0 ? 24 : 0
  const arrivals = at(bandTop + 24, 84)
  const inFlight = at(arrivals.bottom + GAP, 84)
  const heat = at(inFlight.bottom + GAP, usedBuckets(series.heat.counts).length === 0 ? 40 : 180)
  const errorsTop = heat.bottom + lanesHeight(faults.length)
  const bottom = errorsTop + lanesHeight(errors.length)
  const frame = { ...heat, bottom }
  const { left, right } = heat
  const lanes = { x, left, right, width, intervalMs: series.intervalMs }
  const body: MarkupContent = [
    drawShades(shades, x, { ...frame, top: bandTop }),
    drawArrivals(series, x, arrivals),
    drawInFlight(series, x, inFlight),
    drawHeat(series, known, { x, rect: heat }),
    drawLanes('Faults of the crew', faults, { ...lanes, top: heat.bottom, color: 'extra' }),
    drawLanes('Errors that the client saw', errors, { ...lanes, top: errorsTop, color: 'error' }),
    bottomAxis(frame, elapsedTicks(durationMs, (width - LEFT - RIGHT) / 60), x),
  ]
  return { height: bottom + 30, body }
}

function drawArrivals(series: TimelineColumns, x: Scale, rect: Rect): Markup {
  const unitMs = roundStep(series.intervalMs)
  const perUnit = (counts: readonly number[]): number[] =>
    counts.map((count) => (count * unitMs) / series.intervalMs)
  const [offeredThen, acceptedThen] = [perUnit(series.offered), perUnit(series.accepted)]
  const max = Math.max(...offeredThen, ...acceptedThen, 1)
  const y = scaleLinear([0, max], [rect.bottom, rect.top])
  const last = [offeredThen.at(-1) ?? 0, acceptedThen.at(-1) ?? 0]
  const [offeredY = 0, acceptedY = 0] = spread(
    last.map((value) => y(value)),
    16,
    rect.top,
    rect.bottom,
  )
  const accepted = line(steps(acceptedThen, series, x, y), 'endToEnd')
  const offered = line(steps(offeredThen, series, x, y), 'response', '5 3')
  const labels = [
    sideLabel('offered', 'response', rect.right, offeredY),
    sideLabel('accepted', 'endToEnd', rect.right, acceptedY),
  ]
  return html`${panelTitle({ ...rect, left: 0 }, `Kickoffs per ${stepWords(unitMs)}`)}
  ${leftAxis(rect, countTicks(max, 3), y)} ${accepted}${offered} ${labels}`
}

function drawInFlight(series: TimelineColumns, x: Scale, rect: Rect): Markup {
  const max = Math.max(...series.inFlight, 1)
  const y = scaleLinear([0, max], [rect.bottom, rect.top])
  const shape = areaShape<number>()
    .x((_, index) => x(index * series.intervalMs))
    .y0(rect.bottom)
    .y1((value) => y(value))
    .curve(curveStepAfter)
    .digits(1)
  const values = [...series.inFlight, series.inFlight.at(-1) ?? 0]
  return html`${panelTitle({ ...rect, left: 0 }, 'In flight, at the end of each step')}
  ${leftAxis(rect, countTicks(max, 3), y)}
  ${area(shape(values), 'endToEnd', 0.22)}${line(steps(series.inFlight, series, x, y), 'endToEnd')}`
}

const MOST_ERROR_LANES = 7

/** The lanes of errors, the most frequent first. */
function errorLanes({ errors }: TimelineColumns): ChartLane[] {
  const lanes = Object.entries(errors)
    .sort(([, a], [, b]) => total(b) - total(a))
    .map(([name, counts]) => {
      const label = `${plainText(name, 40)} ${formatCount(total(counts))}`
      return { label, bands: [], counts }
    })
  return shortened(lanes, MOST_ERROR_LANES, (others) => {
    const count = others.reduce((sum, { counts }) => sum + total(counts), 0)
    return `${plural(others.length, 'more class', 'more classes')} ${formatCount(count)}`
  })
}

function steps(
  values: readonly number[],
  series: TimelineColumns,
  x: Scale,
  y: Scale,
): string | null {
  const closed = [...values, values.at(-1) ?? 0]
  return lineShape<number>()
    .x((_, index) => x(index * series.intervalMs))
    .y((value) => y(value))
    .curve(curveStepAfter)
    .digits(1)(values.length === 0 ? [] : closed)
}

function seriesTable(series: TimelineColumns): Markup {
  return table(
    [
      { title: 'from', kind: 'number' },
      { title: 'offered', kind: 'number' },
      { title: 'accepted', kind: 'number' },
      { title: 'ended', kind: 'number' },
      { title: 'in flight', kind: 'number' },
      { title: 'errors', kind: 'number' },
    ],
    series.offered.map((offered, column) => [
      formatMs(column * series.intervalMs),
      offered,
      series.accepted[column] ?? 0,
      series.ended[column] ?? 0,
      series.inFlight[column] ?? 0,
      total(Object.values(series.errors).map((counts) => counts[column] ?? 0)),
    ]),
  )
}

function bandTable({ bands }: Series): Markup | null {
  if (bands.length === 0) return null
  return table(
    [{ title: 'shaded' }, { title: 'from', kind: 'number' }, { title: 'to', kind: 'number' }],
    bands.map(({ name, fromMs, toMs }) => [plainText(name), formatMs(fromMs), formatMs(toMs)]),
  )
}

function stretchTable(known: readonly ChartStretch[]): Markup | null {
  if (known.length === 0) return null
  return table(
    [
      { title: 'from', kind: 'number' },
      { title: 'to', kind: 'number' },
      { title: 'ended', kind: 'number' },
      { title: 'end to end p50, about', kind: 'number' },
      { title: 'p95, about', kind: 'number' },
    ],
    known.map(({ fromMs, toMs, ended, p50Ms, p95Ms }) => [
      formatMs(fromMs),
      formatMs(toMs),
      formatCount(ended),
      formatMs(p50Ms),
      formatMs(p95Ms),
    ]),
  )
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
