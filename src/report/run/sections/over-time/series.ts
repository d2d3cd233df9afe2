/** A time series in as many columns as a picture of any width can show. */
import type { Series } from '../../../../result/document.ts'
import { sumOf } from '../../../../result/statistics/moments.ts'
import { STEPS_MS } from '../../../charts/ticks.ts'

/**
 * The columns that a picture draws by interval; quantiles of intervals cannot be joined and are
 * omitted.
 */
export type TimelineColumns = Pick<
  Series,
  | 'intervalMs'
  | 'offered'
  | 'accepted'
  | 'ended'
  | 'completed'
  | 'unserved'
  | 'inFlight'
  | 'heat'
  | 'errors'
  | 'bands'
>

/** A span of time that a picture shades. */
export interface NamedSpan {
  name: string
  fromMs: number
  toMs: number
}

export function namedBands({ bands }: Pick<Series, 'bands'>): NamedSpan[] {
  return bands.map((band) => ({ name: bandName(band), fromMs: band.fromMs, toMs: band.toMs }))
}

function bandName(band: Series['bands'][number]): string {
  if (band.code === 'refused') {
    return `${band.operation === 'kickoff' ? 'kickoffs' : 'polls'} refused (${band.status})`
  }
  return band.code === 'warm-up' ? 'warm-up' : 'no more arrivals'
}

/**
 * At most `columns` intervals. Counts are summed; executions in flight keep their maximum, so that
 * no peak is hidden.
 */
export function rebin(series: TimelineColumns, columns: number): TimelineColumns {
  const stride = roundStride(
    Math.ceil(series.offered.length / Math.max(1, columns)),
    series.intervalMs,
  )
  if (stride <= 1) return series
  const groups = <T>(values: readonly T[]): T[][] =>
    Array.from({ length: Math.ceil(values.length / stride) }, (_, group) =>
      values.slice(group * stride, (group + 1) * stride),
    )
  const sums = (values: readonly number[]): number[] => groups(values).map(sumOf)
  return {
    ...series,
    intervalMs: series.intervalMs * stride,
    offered: sums(series.offered),
    accepted: sums(series.accepted),
    ended: sums(series.ended),
    completed: sums(series.completed),
    unserved: sums(series.unserved),
    inFlight: groups(series.inFlight).map((group) => Math.max(...group)),
    heat: {
      edgesMs: series.heat.edgesMs,
      counts: groups(series.heat.counts).map((group) =>
        (group[0] ?? []).map((_, bucket) => sumOf(group.map((row) => row[bucket] ?? 0))),
      ),
    },
    errors: Object.fromEntries(
      Object.entries(series.errors).map(([name, counts]) => [name, sums(counts)]),
    ),
  }
}

/** Converts counts by the intervals of `series` to those of `columns`. */
export function rebinned(
  counts: readonly number[],
  series: Pick<Series, 'intervalMs'>,
  columns: Pick<TimelineColumns, 'intervalMs' | 'offered'>,
): number[] {
  const stride = Math.round(columns.intervalMs / series.intervalMs)
  return columns.offered.map((_, column) =>
    sumOf(counts.slice(column * stride, (column + 1) * stride)),
  )
}

/** Slightly larger, when that makes the intervals a round length of time. */
function roundStride(least: number, intervalMs: number): number {
  const round = STEPS_MS.find((ms) => ms % intervalMs === 0 && ms >= least * intervalMs)
  return round !== undefined && round <= least * intervalMs * 1.7 ? round / intervalMs : least
}

/**
 * How many intervals `width` can show without drawing noise: the number of random arrivals varies
 * by its square root, so an interval should contain four of them on average, as long as 24
 * intervals remain.
 */
export function readableColumns(series: TimelineColumns, width: number): number {
  return Math.floor(Math.min(width / 7, Math.max(24, sumOf(series.offered) / 4)))
}
