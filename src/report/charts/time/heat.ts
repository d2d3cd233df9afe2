/**
 * The heat map of section 3: the durations of the executions that ended at each time, with p50 and
 * p95 where enough ended.
 */
import { scaleLog } from 'd3-scale'
import { formatMs, plural } from '../../frame/format.ts'
import { spread } from '../labels.ts'
import { html } from '../../frame/markup.ts'
import type { Markup } from '../../frame/markup.ts'
import { bar, leftAxis, line, panelTitle, round, sideLabel } from '../plot.ts'
import type { Rect, Scale } from '../plot.ts'
import type { TimelineColumns } from './rebin.ts'
import type { ChartStretch } from './stretches.ts'
import { durationTicks } from '../ticks.ts'

/** Durations that differ by less than this ratio would fill the picture with a single row. */
const LEAST_RATIO = 4

/** A cell with fewer executions never gets the darkest colour. */
const DARKEST_AT_LEAST = 4

/**
 * Cells of time by logarithm of latency; the opacity follows the square root of the count, so that
 * single executions are still visible.
 */
export function drawHeat(
  series: TimelineColumns,
  stretches: readonly ChartStretch[],
  { x, rect }: { x: Scale; rect: Rect },
): Markup {
  const { edgesMs, counts } = series.heat
  const [first, last] = usedBuckets(counts)
  const title = panelTitle({ ...rect, left: 0 }, 'End to end of executions that ended then')
  if (first === undefined || last === undefined) {
    return html`${title}<text class="quiet" x="${rect.left}" y="${rect.top + 24}"
        >No execution ended.</text
      >`
  }
  const [from, to] = [Math.max(0.001, edgesMs[first] ?? 0.001), edgesMs[last + 1] ?? 1]
  const wider = Math.max(1, Math.sqrt(LEAST_RATIO / (to / from)))
  const log = scaleLog([from / wider, to * wider], [rect.bottom, rect.top])
  const y: Scale = (ms) => log(Math.min(to, Math.max(from, ms)))
  const max = Math.max(...counts.flat(), DARKEST_AT_LEAST)
  const cells = counts.map((row, column) =>
    row.map((count, bucket) => {
      if (count === 0) return null
      const [low, high] = [edgesMs[bucket] ?? from, edgesMs[bucket + 1] ?? to]
      const cell = {
        left: x(column * series.intervalMs),
        right: Math.min(rect.right, x((column + 1) * series.intervalMs)),
        top: y(high),
        bottom: y(low),
      }
      const tip = `${plural(count, 'execution')} of ${formatMs(low)} to ${formatMs(high)}`
      return bar(cell, 'endToEnd', { opacity: round(0.12 + 0.68 * Math.sqrt(count / max)), tip })
    }),
  )
  const ticks = durationTicks(from / wider, to * wider, 6)
  return html`${title}${leftAxis(rect, ticks, (ms) => log(ms))}${cells}
  ${quantileSteps(stretches, { x, y, rect })}`
}

function quantileSteps(
  stretches: readonly ChartStretch[],
  { x, y, rect }: { x: Scale; y: Scale; rect: Rect },
): Markup | null {
  const last = stretches.at(-1)
  if (last === undefined) return null
  const path = (value: (stretch: ChartStretch) => number): string =>
    stretches
      .map((stretch, index) => {
        const end = Math.min(rect.right, x(stretch.toMs))
        const start = `${round(x(stretch.fromMs))} ${round(y(value(stretch)))}`
        return `${index === 0 ? 'M' : 'L'}${start}H${round(end)}`
      })
      .join('')
  const wishes = [y(last.p50Ms), y(last.p95Ms)]
  const [y50 = 0, y95 = 0] = spread(wishes, 16, rect.top, rect.bottom)
  return html`${line(
    path(({ p95Ms }) => p95Ms),
    'error',
    '5 3',
  )}${line(
    path(({ p50Ms }) => p50Ms),
    'ink',
  )}
  ${sideLabel('p50', 'ink', rect.right, y50)}${sideLabel('p95', 'error', rect.right, y95)}`
}

/** The lowest and the highest row that contain an execution. */
export function usedBuckets(counts: readonly (readonly number[])[]): [number, number] | [] {
  const used = counts.flatMap((row) => row.flatMap((count, bucket) => (count > 0 ? [bucket] : [])))
  return used.length === 0 ? [] : [Math.min(...used), Math.max(...used)]
}
