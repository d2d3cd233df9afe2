/** A distribution as a histogram, and its table. */
import { scaleLinear, scaleLog } from 'd3-scale'
import type { DistributionResult } from '../../result/document.ts'
import { formatCount, formatMs } from '../frame/format.ts'
import { html } from '../frame/markup.ts'
import type { Markup } from '../frame/markup.ts'
import { table } from '../frame/table.ts'
import { textWidth } from './labels.ts'
import { ink } from './palette.ts'
import { bar, bottomAxis, leftAxis, round } from './plot.ts'
import type { Rect } from './plot.ts'
import { countTicks, durationTicks } from './ticks.ts'

/**
 * A distribution's buckets on a logarithmic time axis, with marks at its median and 95th
 * percentile.
 */
export function histogram(distribution: DistributionResult, rect: Rect): Markup {
  const { buckets, quantiles } = distribution
  const positive = buckets.filter(({ to }) => to > 0)
  const from = Math.max(0.001, positive[0]?.from ?? 0.001)
  const to = Math.max(from * 1.5, positive.at(-1)?.to ?? 1)
  const most = Math.max(...buckets.map(({ count }) => count), 1)
  const log = scaleLog([from, to], [rect.left, rect.right])
  const x = (ms: number): number => log(Math.min(to, Math.max(from, ms)))
  const y = scaleLinear([0, most * 1.35], [rect.bottom, rect.top])
  const bars = buckets.map((bucket) => {
    const tip = `${formatMs(bucket.from)} to ${formatMs(bucket.to)}: ${formatCount(bucket.count)}`
    const cell = {
      left: x(bucket.from),
      right: Math.max(x(bucket.from) + 1, x(bucket.to) - 1),
      top: y(bucket.count),
      bottom: rect.bottom,
    }
    return bar(cell, 'endToEnd', { opacity: 0.7, tip })
  })
  const marks = [0.5, 0.95].map((level, row) => {
    const point = quantiles.find(({ q }) => q === level)
    if (point === undefined) return null
    const at = round(x(point.value))
    const text = `p${level * 100} ${formatMs(point.value)}`
    const fitsRight = at + 5 + textWidth(text) <= rect.right + 8
    const fitsLeft = at - 5 - textWidth(text) >= rect.left
    const anchor = fitsLeft && (level === 0.5 || !fitsRight) ? 'end' : 'start'
    const labelX = anchor === 'end' ? at - 5 : at + 5
    return html`<path
        d="M${at} ${rect.bottom}V${rect.top}"
        stroke="${ink('ink')}"
        stroke-dasharray="3 3"
      /><text class="halo" x="${labelX}" y="${rect.top + 10 + row * 17}" text-anchor="${anchor}"
        >${text}</text
      >`
  })
  const ticks = durationTicks(from, to, Math.max(3, Math.floor((rect.right - rect.left) / 64)))
  const axes = html`${leftAxis(rect, countTicks(most * 1.35, 4), y)}${bottomAxis(rect, ticks, x)}`
  return html`${axes}${bars}${marks}`
}

export function bucketTable(distribution: DistributionResult | undefined): Markup {
  return table(
    [
      { title: 'from', kind: 'number' },
      { title: 'to', kind: 'number' },
      { title: 'count', kind: 'number' },
    ],
    (distribution?.buckets ?? []).map(({ from, to, count }) => [
      formatMs(from),
      formatMs(to),
      formatCount(count),
    ]),
    'Nothing was measured.',
  )
}
