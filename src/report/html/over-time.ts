/** Section 3: arrivals, executions in flight, latency and errors on one axis of time. */
import { scaleLinear, scaleLog } from 'd3-scale'
import { area as areaShape, curveStepAfter, line as lineShape } from 'd3-shape'
import type { ResultDocument, Series } from '../../analysis/document.ts'
import { formatCount, formatMs, formatOptionalMs, plainText, plural } from '../format.ts'
import { figure } from './figure.ts'
import type { Picture } from './figure.ts'
import { fitText, spread } from './labels.ts'
import { html } from './markup.ts'
import type { Content, Markup } from './markup.ts'
import { ink } from './palette.ts'
import type { Color } from './palette.ts'
import { area, bar, bottomAxis, leftAxis, line, panelTitle, round } from './plot.ts'
import type { Rect, Scale } from './plot.ts'
import { rebin } from './rebin.ts'
import { table } from './table.ts'
import { countTicks, durationTicks, elapsedTicks } from './ticks.ts'

export function renderOverTime(document: ResultDocument): Markup {
  const { series } = document
  return figure({
    id: 'over-time',
    heading: finding(document),
    caption:
      'Above, kickoffs offered and accepted; then executions in flight; then how long the executions took that ended at that time: the darker, the more of them. Errors are ticks below.',
    alternative: `${finding(document)}. ${errorWords(series)}`,
    draw: (width) => draw(rebin(series, Math.floor(width / 7)), width),
    table: seriesTable(rebin(series, 60)),
  })
}

function finding({ series, generator }: ResultDocument): string {
  const offered = total(series.offered)
  const accepted = total(series.accepted)
  if (offered === 0) return 'Nothing arrived'
  const all =
    accepted >= offered
      ? 'every kickoff was accepted'
      : `${formatCount(accepted)} of ${formatCount(offered)} kickoffs were accepted`
  return `At most ${plural(generator.maxInFlight, 'execution')} in flight; ${all}`
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

function draw(series: Series, width: number): Picture {
  const columns = series.offered.length
  const durationMs = Math.max(1, columns) * series.intervalMs
  const x = scaleLinear([0, durationMs], [LEFT, width - RIGHT])
  const at = (top: number, height: number): Rect => ({
    left: LEFT,
    right: width - RIGHT,
    top,
    bottom: top + height,
  })
  const bandTop = series.bands.length > 0 ? 24 : 0
  const arrivals = at(bandTop + 24, 84)
  const inFlight = at(arrivals.bottom + GAP, 84)
  const heat = at(inFlight.bottom + GAP, usedBuckets(series.heat.counts).length === 0 ? 40 : 180)
  const errors = Object.entries(series.errors).slice(0, 8)
  const bottom = heat.bottom + (errors.length > 0 ? errors.length * 38 + 4 : 0)
  const frame = { ...heat, bottom }
  const body: Content = [
    series.bands.map((each) => drawBand(each, x, { ...frame, top: bandTop })),
    drawArrivals(series, x, arrivals),
    drawInFlight(series, x, inFlight),
    drawHeat(series, x, heat),
    errors.map(([name, counts], row) =>
      drawErrors(name, counts, { x, y: heat.bottom + 22 + row * 38, series, width }),
    ),
    bottomAxis(frame, elapsedTicks(durationMs, (width - LEFT - RIGHT) / 60), x),
  ]
  return { height: bottom + 30, body }
}

function drawBand({ fromMs, toMs, name }: Series['bands'][number], x: Scale, frame: Rect): Markup {
  const [left, right] = [x(fromMs), Math.min(frame.right, x(toMs))]
  const label = fitText(plainText(name, 40), Math.max(right - left, frame.right - left))
  return html`${bar({ ...frame, left, right }, 'grey', { opacity: 0.16, tip: plainText(name) })}<text
      class="quiet"
      x="${round(left)}"
      y="${frame.top - 8}"
      >${label}</text
    >`
}

function drawArrivals(series: Series, x: Scale, rect: Rect): Markup {
  const max = Math.max(...series.offered, ...series.accepted, 1)
  const y = scaleLinear([0, max], [rect.bottom, rect.top])
  const each = formatMs(series.intervalMs).replace(/\.0+(?= )/, '')
  const last = [series.offered.at(-1) ?? 0, series.accepted.at(-1) ?? 0]
  const [offeredY = 0, acceptedY = 0] = spread(
    last.map((value) => y(value)),
    16,
    rect.top,
    rect.bottom,
  )
  return html`${panelTitle({ ...rect, left: 0 }, `Kickoffs per ${each}`)}
  ${leftAxis(rect, countTicks(max, 3), y)}
  ${line(steps(series.accepted, series, x, y), 'endToEnd')}${line(steps(series.offered, series, x, y), 'response', '5 3')}
  ${sideLabel('offered', 'response', rect.right, offeredY)}${sideLabel('accepted', 'endToEnd', rect.right, acceptedY)}`
}

function drawInFlight(series: Series, x: Scale, rect: Rect): Markup {
  const max = Math.max(...series.inFlight, 1)
  const y = scaleLinear([0, max], [rect.bottom, rect.top])
  const shape = areaShape<number>()
    .x((_, index) => x(index * series.intervalMs))
    .y0(rect.bottom)
    .y1((value) => y(value))
    .curve(curveStepAfter)
    .digits(1)
  const values = [...series.inFlight, series.inFlight.at(-1) ?? 0]
  return html`${panelTitle({ ...rect, left: 0 }, 'In flight')}
  ${leftAxis(rect, countTicks(max, 3), y)}
  ${area(shape(values), 'endToEnd', 0.22)}${line(steps(series.inFlight, series, x, y), 'endToEnd')}`
}

/** Cells of time by log latency; opacity by the square root of the count, so that single executions still show. */
function drawHeat(series: Series, x: Scale, rect: Rect): Markup {
  const { edgesMs, counts } = series.heat
  const used = usedBuckets(counts)
  const [first, last] = used
  const title = panelTitle({ ...rect, left: 0 }, 'End to end of executions that ended then')
  if (first === undefined || last === undefined) {
    return html`${title}<text class="quiet" x="${rect.left}" y="${rect.top + 24}"
        >No execution ended.</text
      >`
  }
  const [from, to] = [Math.max(0.001, edgesMs[first] ?? 0.001), edgesMs[last + 1] ?? 1]
  const log = scaleLog([from, Math.max(to, from * 1.01)], [rect.bottom, rect.top])
  const y: Scale = (ms) => log(Math.min(to, Math.max(from, ms)))
  const max = Math.max(...counts.flat(), 1)
  const cells = counts.map((row, column) =>
    row.map((count, bucket) => {
      if (count === 0) return null
      const [low, high] = [edgesMs[bucket] ?? from, edgesMs[bucket + 1] ?? to]
      const cell = {
        left: x(column * series.intervalMs),
        right: x((column + 1) * series.intervalMs),
        top: y(high),
        bottom: y(low),
      }
      const tip = `${plural(count, 'execution')} of ${formatMs(low)} to ${formatMs(high)}`
      return bar(cell, 'endToEnd', { opacity: round(0.12 + 0.68 * Math.sqrt(count / max)), tip })
    }),
  )
  return html`${title}${leftAxis(rect, durationTicks(from, to, 6), y)}${cells}
  ${quantileLines(series, x, y, rect)}`
}

function quantileLines(series: Series, x: Scale, y: Scale, rect: Rect): Markup {
  const middle = (index: number): number => x((index + 0.5) * series.intervalMs)
  const path = lineShape<number | null>()
    .defined((value) => value !== null)
    .x((_, index) => middle(index))
    .y((value) => y(value ?? 0))
    .digits(1)
  const [p50, p95] = [series.executionP50Ms, series.executionP95Ms]
  const [y50 = 0, y95 = 0] = spread([y(lastOf(p50)), y(lastOf(p95))], 16, rect.top, rect.bottom)
  return html`${line(path(p95), 'error', '5 3')}${line(path(p50), 'ink')}
  ${sideLabel('p50', 'ink', rect.right, y50)}${sideLabel('p95', 'error', rect.right, y95)}`
}

function usedBuckets(counts: readonly (readonly number[])[]): [number, number] | [] {
  const used = counts.flatMap((row) => row.flatMap((count, bucket) => (count > 0 ? [bucket] : [])))
  return used.length === 0 ? [] : [Math.min(...used), Math.max(...used)]
}

interface ErrorRow {
  x: Scale
  y: number
  series: Series
  width: number
}

function drawErrors(
  name: string,
  counts: readonly number[],
  { x, y, series, width }: ErrorRow,
): Markup {
  const ticks = counts.map((count, column) =>
    count === 0
      ? null
      : html`<rect
          x="${round(x((column + 0.5) * series.intervalMs) - 1.5)}"
          y="${y + 5}"
          width="3"
          height="12"
          fill="${ink('error')}"
          data-tip="${plainText(name)}: ${count}"
        />`,
  )
  const label = `${plainText(name, 40)} ${formatCount(total(counts))}`
  return html`<text class="quiet" x="${LEFT}" y="${y}">${fitText(label, width - LEFT)}</text
    ><path class="grid" d="M${LEFT} ${y + 11}H${width - RIGHT}" />${ticks}`
}

function sideLabel(text: string, color: Color, x: number, y: number): Markup {
  return html`<path d="M${x + 4} ${round(y)}h8" stroke="${ink(color)}" stroke-width="2" /><text
      x="${x + 16}"
      y="${round(y + 4)}"
      >${text}</text
    >`
}

function steps(values: readonly number[], series: Series, x: Scale, y: Scale): string | null {
  const closed = [...values, values.at(-1) ?? 0]
  return lineShape<number>()
    .x((_, index) => x(index * series.intervalMs))
    .y((value) => y(value))
    .curve(curveStepAfter)
    .digits(1)(values.length === 0 ? [] : closed)
}

function seriesTable(series: Series): Markup {
  return table(
    [
      { title: 'from', kind: 'number' },
      { title: 'offered', kind: 'number' },
      { title: 'accepted', kind: 'number' },
      { title: 'ended', kind: 'number' },
      { title: 'in flight', kind: 'number' },
      { title: 'end to end p50', kind: 'number' },
      { title: 'p95', kind: 'number' },
      { title: 'errors', kind: 'number' },
    ],
    series.offered.map((offered, column) => [
      formatMs(column * series.intervalMs),
      offered,
      series.accepted[column] ?? 0,
      series.ended[column] ?? 0,
      series.inFlight[column] ?? 0,
      formatOptionalMs(series.executionP50Ms[column]),
      formatOptionalMs(series.executionP95Ms[column]),
      total(Object.values(series.errors).map((counts) => counts[column] ?? 0)),
    ]),
  )
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}

function lastOf(values: readonly (number | null)[]): number {
  return values.findLast((value) => value !== null) ?? 0
}
