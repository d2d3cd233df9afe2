/** A distribution as a histogram, with lines at its median and 95th percentile, and its table. */
import type { DistributionResult } from '../../result/document.ts'
import { formatCount, formatInterval, formatMs } from '../../base/numbers.ts'
import type { Table } from '../text/table.ts'
import { columnsOf, pageTable } from '../text/table.ts'
import type { Plot } from './chart.ts'

/** `title`: what the bars count. */
export function histogram(title: string, distribution: DistributionResult | undefined): Plot {
  const { buckets = [], quantiles = [] } = distribution ?? {}
  const marks = quantiles.filter(({ q }) => q === 0.5 || q === 0.95)
  const words = marks.map(({ q, value }) => `p${q * 100} ${formatMs(value)}`).join(', ')
  return {
    x: { title: '', kind: 'duration' },
    panels: [
      {
        y: { title: words === '' ? title : `${title}: ${words}`, kind: 'count' },
        height: { narrow: 180, wide: 180 },
        lines: [],
        cells: buckets.map(({ from, to, count }) => ({
          from: { x: from, y: 0 },
          to: { x: to, y: count },
          opacity: 0.7,
          tip: `${formatInterval({ low: from, high: to }, 'ms')}: ${formatCount(count)}`,
        })),
      },
    ],
    moments: marks.map(({ value }) => ({ at: value, label: '', color: 'ink' })),
  }
}

export function bucketTable(distribution: DistributionResult | undefined): Table {
  return pageTable(
    columnsOf([], ['from', 'to', 'count']),
    (distribution?.buckets ?? []).map(({ from, to, count }) => [
      formatMs(from),
      formatMs(to),
      formatCount(count),
    ]),
    'Nothing was measured.',
  )
}
