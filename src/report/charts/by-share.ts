/** Times by the share of executions that took no longer: as observed, and as predicted. */
import { formatShare, formatMs } from '../../base/numbers.ts'
import type { QuantileBand } from '../../result/statistics/quantiles.ts'
import type { Chart, Line, Mark } from './chart.ts'

/** `names`: of what was observed, and of what was predicted. */
export function byShareChart(
  words: Pick<Chart, 'id' | 'heading' | 'caption'>,
  rows: readonly QuantileBand[],
  { title, names, color }: { title: string; names: [string, string]; color: Line['color'] },
): Chart {
  const [own, other] = names
  const points = rows.map(({ share: x, observed: y }) => ({ x, y }))
  const predicted = rows.map(({ share: x, observed, predicted: y, low, high }): Mark => {
    const tip = `${formatShare(x)}: ${own} ${formatMs(observed)}, ${other} ${formatMs(y)}`
    return { x, y, low, high, tip }
  })
  return {
    ...words,
    x: { title: 'share of executions', kind: 'share' },
    panels: [
      {
        y: { title, kind: 'duration' },
        height: { narrow: 200, wide: 260 },
        lines: [{ name: own, color: 'endToEnd', dash: '', unnamed: true, points }],
        points: [{ color, points: predicted }],
      },
    ],
    table: {
      columns: ['share', ...names, 'from', 'to'],
      rows: rows.map(({ share, observed, predicted: each, low, high }) => [
        formatShare(share),
        ...[observed, each, low, high].map(formatMs),
      ]),
    },
  }
}
