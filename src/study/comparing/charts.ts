/** Figures of both sides' times end to end: how the deciles moved, and both curves. */
import type { Chart, Mark } from '../../report/charts/chart.ts'
import {
  formatEstimate,
  formatMs,
  formatOptionalMs,
  formatRoundShare,
  inNumber,
  NOTHING,
} from '../../base/numbers.ts'
import { percentile } from '../../report/charts/ticks.ts'
import { signed } from './sentences.ts'
import type { Changes } from './shapes.ts'

type Shift = Changes['shift'][number]
type ChartPlace = Changes['curves'][number]

/** The fewest points that are drawn as a curve. */
const FEWEST = 3

type ChartShown = Pick<Changes, 'base' | 'new' | 'shift' | 'curves'>

/** `least` is the change that counts, as a share. Null if the runs know too few deciles. */
export function shiftChart({ shift, base, new: next }: ChartShown, least: number): Chart | null {
  if (shift.length < FEWEST) return null
  const ends = [shift[0]!.q, shift.at(-1)!.q]
  const level = (y: number) => ends.map((x) => ({ x, y }))
  return {
    id: 'shift',
    heading: shiftHeading(shift, Math.min(base.length, next.length)),
    caption:
      'Each point is the change of a decile of the time end to end, between the typical runs ' +
      '(geometric means). ' +
      `${whiskers([base.length, next.length])} Dotted: a change of ${formatRoundShare(least)}, ` +
      'the smallest that counts.',
    x: {
      title: 'share of executions that took this long or less',
      kind: 'share',
      ticks: shift.map(({ q }) => ({ value: q, label: percentile(q) })),
    },
    panels: [
      {
        y: { title: 'Change', kind: 'change' },
        height: { narrow: 200, wide: 240 },
        lines: [
          { name: '0', color: 'grey', dash: '', unnamed: true, points: level(0) },
          ...[least, -least].map((y) => ({
            name: 'least',
            color: 'grey' as const,
            dash: '2 4',
            unnamed: true,
            points: level(y),
          })),
        ],
        points: [{ color: 'endToEnd', points: shift.map(markOfShift) }],
      },
    ],
    table: {
      columns: ['decile', 'change', 'from', 'to'],
      rows: shift.map(({ q, ratio, low, high }) => [
        percentile(q),
        ...[ratio, low, high].map((each) => (each === null ? NOTHING : size(each))),
      ]),
    },
  }
}

function whiskers(runs: readonly number[]): string {
  if (runs.every((count) => count === 1)) {
    return (
      'Whiskers are 95 % intervals from within a single run per side. They do not include how ' +
      'much runs differ by chance.'
    )
  }
  return runs.includes(1)
    ? 'There are no intervals: a single run does not show how much runs differ by chance.'
    : 'Whiskers are the 95 % band of all deciles together, with the run as the unit. One ' +
        'without a cap extends beyond the figure. A hollow point is not proven.'
}

function markOfShift({ q, ratio, low, high }: Shift): Mark {
  return {
    x: q,
    y: ratio - 1,
    low: low === null ? null : low - 1,
    high: high === null ? null : high - 1,
    hollow: !isProven({ low, high }),
    tip: `${percentile(q)}: ${formatEstimate({ value: ratio, low, high }, size)}`,
  }
}

function isProven({ low, high }: Pick<Shift, 'low' | 'high'>): boolean {
  return low !== null && high !== null && (low > 1 || high < 1)
}

/** `runs`: the fewest of a side. */
function shiftHeading(shift: readonly Shift[], runs: number): string {
  const moved = shift.filter(isProven)
  const most = (moved.length === 0 ? shift : moved).reduce((a, b) =>
    Math.abs(Math.log(b.ratio)) > Math.abs(Math.log(a.ratio)) ? b : a,
  )
  const largest = `${size(most.ratio)} at ${percentile(most.q)}`
  if (runs < 2)
    return `Between the two sides, deciles differ most by ${largest}, which proves nothing`
  if (moved.length === 0)
    return `No decile is proven to have moved; the largest change is ${largest}`
  if (moved.length === shift.length) return `Every decile moved, most by ${largest}`
  const are = inNumber(moved.length, 'is', 'are')
  return `${moved.length} of ${shift.length} deciles ${are} proven to have moved, most by ${largest}`
}

/** Formats a change: `+15.2 %`, `0 %`, `−3.1 %`. */
function size(ratio: number): string {
  return `${signed(100 * (ratio - 1))} %`
}

/** Null if the runs have fewer than three quantiles from the median on in common. */
export function ninesChart({ curves, base, new: next }: ChartShown): Chart | null {
  if (curves.length < FEWEST) return null
  const last = curves.at(-1)!
  return {
    id: 'nines',
    heading:
      `At ${percentile(last.q)}, the longest that all runs know: ${formatMs(last.base.ms)} before, ` +
      `${formatMs(last.new.ms)} now${areApart(last) ? '' : ', which may be chance'}`,
    caption:
      'The time end to end by percentile. After each step of the axis, a tenth as many ' +
      'executions remain above. Lines are the geometric means of the runs of a side. ' +
      `${bands([base.length, next.length])}.`,
    x: { title: 'percentile of executions', kind: 'nines' },
    panels: [
      {
        y: { title: 'Time end to end', kind: 'duration' },
        height: { narrow: 220, wide: 300 },
        lines: [
          {
            name: 'base',
            color: 'response',
            dash: '6 4',
            points: curves.map((place) => pointOf(place, 'base')),
          },
          {
            name: 'new',
            color: 'endToEnd',
            dash: '',
            points: curves.map((place) => pointOf(place, 'new')),
          },
        ],
      },
    ],
    table: {
      columns: ['percentile', 'base', 'from', 'to', 'new', 'from', 'to'],
      rows: curves.map(({ q, base: before, new: after }) => [
        percentile(q),
        ...[before, after].flatMap(({ ms, low, high }) => [ms, low, high].map(formatOptionalMs)),
      ]),
    },
  }
}

/** Whether the bands of the two sides leave room between them. */
function areApart({ base, new: next }: ChartPlace): boolean {
  const [low, high] = base.ms < next.ms ? [base.high, next.low] : [next.high, base.low]
  return low !== null && high !== null && low < high
}

function bands(runs: readonly number[]): string {
  return runs.includes(1)
    ? 'Pale bands are 95 % intervals from within the single run'
    : 'Pale bands are the 95 % bands of whole curves, with the run as the unit'
}

function pointOf(
  { q, ...sides }: ChartPlace,
  side: 'base' | 'new',
): Chart['panels'][number]['lines'][number]['points'][number] {
  const { ms, low, high } = sides[side]
  const time = formatEstimate({ value: ms, low, high }, 'ms')
  return { x: q, y: ms, low, high, tip: `${side}, ${percentile(q)}: ${time}` }
}
