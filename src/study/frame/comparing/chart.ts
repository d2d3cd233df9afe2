/** Both sides' times end to end, quantile by quantile. */
import type { Chart } from '../../../report/charts/chart.ts'
import { formatMs } from '../../../report/frame/format.ts'
import { rounded } from './verdict.ts'
import type { Changes } from './shapes.ts'

type Point = Changes['curve'][number]

/** Null where the runs know fewer than three quantiles in common. */
export function curveChart({ curve }: Pick<Changes, 'curve'>): Chart | null {
  if (curve.length < 3) return null
  return {
    id: 'shift',
    finding: finding(curve),
    caption:
      'Each point is the median of the runs of a side, at a quantile that all runs measured. Above the line of the base, executions take longer.',
    x: {
      title: 'share of executions that took at most as long',
      kind: 'share',
    },
    panels: [
      {
        y: { title: 'Time end to end', kind: 'duration' },
        height: { narrow: 220, wide: 300 },
        lines: [
          { name: 'base', color: 'grey', dash: '6 4', points: pointsOf(curve, 'baseMs') },
          { name: 'new', color: 'endToEnd', dash: '', points: pointsOf(curve, 'newMs') },
        ],
      },
    ],
    table: {
      columns: ['share', 'base', 'new', 'change'],
      rows: curve.map((point) => [
        `${rounded(100 * point.q)} %`,
        formatMs(point.baseMs),
        formatMs(point.newMs),
        changeOf(point),
      ]),
    },
  }
}

function finding(curve: readonly Point[]): string {
  const [least, most] = [
    curve.reduce((a, b) => (shiftOf(b) < shiftOf(a) ? b : a)),
    curve.reduce((a, b) => (shiftOf(b) > shiftOf(a) ? b : a)),
  ]
  return `From ${changeOf(least)} at ${rounded(100 * least.q)} % of the executions to ${changeOf(most)} at ${rounded(100 * most.q)} %`
}

function shiftOf({ baseMs, newMs }: Point): number {
  return baseMs === 0 ? 0 : newMs / baseMs - 1
}

function changeOf(point: Point): string {
  const size = rounded(100 * shiftOf(point))
  return `${shiftOf(point) > 0 && size !== '0' ? '+' : ''}${size.replace('-', '−')} %`
}

function pointsOf(curve: readonly Point[], side: 'baseMs' | 'newMs') {
  return curve.map((point) => ({
    x: point.q,
    y: point[side],
    tip: `${rounded(100 * point.q)} %: ${formatMs(point[side])}`,
  }))
}
