/**
 * The figures of a twin: the whole twin compared with the crew, and each task's values compared
 * with their fit.
 */
import { formatShare } from '../../../base/units.ts'
import type { Chart, Mark } from '../../../report/charts/chart.ts'
import { LINEAR_RATIO } from '../../../report/charts/duration-scale.ts'
import type { Tick } from '../../../report/charts/ticks.ts'
import { formatMs } from '../../../report/frame/format.ts'
import type { Agreement, Part } from '../document.ts'

/** Null if the replays show nothing. */
export function stayChart({ stay, comparisons, replays }: Agreement): Chart | null {
  if (stay.length < 2) return null
  const median = comparisons.find(({ name }) => name === 'time in the crew, p50')
  return {
    id: 'stay',
    finding:
      median === undefined
        ? 'How long executions stay in the crew, and in the twin'
        : `Half of the executions stay ${formatMs(median.observed)} in the crew, and ` +
          `${formatMs(median.twin)} in the twin`,
    caption:
      'From acceptance until the client knew the end, by the share of executions that took no ' +
      `longer. The line is the crew; points are the median of ${replays} replays of the same ` +
      'arrivals on the twin, whiskers hold 90 % of them.',
    x: { title: 'share of executions', kind: 'share' },
    panels: [
      {
        y: { title: 'time in the crew', kind: 'duration' },
        height: { narrow: 220, wide: 280 },
        lines: [
          {
            name: 'crew',
            color: 'endToEnd',
            dash: '',
            unnamed: true,
            points: stay.map(({ share, observedMs }) => ({ x: share, y: observedMs })),
          },
        ],
        points: [
          {
            color: 'response',
            points: stay.map(({ share, twinMs, lowMs, highMs, observedMs }): Mark => ({
              x: share,
              y: twinMs,
              low: lowMs,
              high: highMs,
              tip: `${formatShare(share)}: crew ${formatMs(observedMs)}, twin ${formatMs(twinMs)}`,
            })),
          },
        ],
      },
    ],
    table: {
      columns: ['share', 'crew', 'twin', 'from', 'to'],
      rows: stay.map(({ share, observedMs, twinMs, lowMs, highMs }) => [
        formatShare(share),
        formatMs(observedMs),
        formatMs(twinMs),
        formatMs(lowMs),
        formatMs(highMs),
      ]),
    },
  }
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const ROUND = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]
  .map((seconds) => seconds * SECOND)
  .concat([1, 3, 10, 30].map((minutes) => minutes * MINUTE))
  .concat([1, 3, 10, 30, 100].map((hours) => hours * HOUR))

/** Ticks in milliseconds; the two ends if no round value lies between them. */
function ticksBetween(from: number, to: number): Tick[] {
  const round = ROUND.filter((value) => value >= from && value <= to)
  return (round.length < 2 ? [from, to] : round).map((value) => ({ value, label: formatMs(value) }))
}

/**
 * Compares quantiles of the sample with those of the fit: points lie on the line where both are
 * equal.
 */
export function quantileChart({ name, goodness, words }: Part, place: number): Chart | null {
  if (goodness === null || goodness.qq.length < 2) return null
  const { qq } = goodness
  const [least, most] = [qq[0]!, qq.at(-1)!]
  const [from, to] = [Math.min(least.fitted, least.observed), Math.max(most.fitted, most.observed)]
  if (to <= from || from <= 0) return null
  // The other axis becomes logarithmic by itself; only with equal axes are equal values a straight
  // line.
  const log = to / from > LINEAR_RATIO
  return {
    id: `quantiles-${place}`,
    finding: `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${words}`,
    caption:
      'Each point is a quantile (5 to 99 %): observed on the horizontal axis, fitted on the ' +
      'vertical one. On the line both are equal.',
    x: log
      ? { title: 'observed', kind: 'duration', log, ticks: ticksBetween(from, to) }
      : { title: 'observed', kind: 'duration' },
    panels: [
      {
        y: { title: 'fitted', kind: 'duration' },
        height: { narrow: 200, wide: 240 },
        lines: [
          {
            name: 'equal',
            color: 'grey',
            dash: '6 4',
            unnamed: true,
            points: diagonal(from, to),
          },
        ],
        points: [
          {
            color: 'endToEnd',
            points: qq.map(({ share, observed, fitted }): Mark => ({
              x: observed,
              y: fitted,
              low: null,
              high: null,
              tip: `${formatShare(share)}: ${formatMs(observed)} observed, ${formatMs(fitted)} fitted`,
            })),
          },
        ],
      },
    ],
    table: {
      columns: ['share', 'observed', 'fitted'],
      rows: qq.map(({ share, observed, fitted }) => [
        formatShare(share),
        formatMs(observed),
        formatMs(fitted),
      ]),
    },
  }
}

/** The line of equal values, which is a curve if only one axis is logarithmic. */
function diagonal(from: number, to: number): { x: number; y: number }[] {
  return Array.from({ length: DIAGONAL_STEPS + 1 }, (_, i) => {
    const value = from * (to / from) ** (i / DIAGONAL_STEPS)
    return { x: value, y: value }
  })
}

const DIAGONAL_STEPS = 24
