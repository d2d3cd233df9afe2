/**
 * A time series in as many columns as a picture of any width can show, and quantiles over time,
 * each over an interval in which enough executions ended.
 */
import type { Series } from '../../../../result/document.ts'
import { STEPS_MS } from '../../../charts/ticks.ts'

/** With fewer than 20 samples the 95th percentile is the largest of them. */
export const FEWEST_ENDED = 20

export interface ChartStretch {
  fromMs: number
  toMs: number
  ended: number
  p50Ms: number
  p95Ms: number
}

/** The number of intervals up to the last arrival: what ends later ends whatever the crew does. */
export function untilLastArrival({ offered }: Pick<Series, 'offered'>): number {
  return offered.findLastIndex((count) => count > 0) + 1
}

/**
 * Until the last arrival: joins neighbouring intervals until at least `FEWEST_ENDED` executions
 * ended in each; the rest joins the last one. Quantiles are read from the heat map's rows,
 * interpolated by the logarithm within a row, so they are as precise as the row's edges are close,
 * which is what the picture can show. None when too few executions ended in all.
 */
export function stretches(series: Series): ChartStretch[] {
  const { intervalMs, heat } = series
  const columns = heat.counts.slice(0, untilLastArrival(series))
  const groups: { from: number; to: number; counts: number[] }[] = []
  let [from, counts] = [0, heat.edgesMs.slice(1).map(() => 0)]
  for (const [column, row] of columns.entries()) {
    counts = counts.map((count, bucket) => count + (row[bucket] ?? 0))
    if (sum(counts) < FEWEST_ENDED) continue
    groups.push({ from, to: column + 1, counts })
    ;[from, counts] = [column + 1, counts.map(() => 0)]
  }
  const last = groups.at(-1)
  if (last !== undefined && sum(counts) > 0) {
    last.to = columns.findLastIndex((row) => sum(row) > 0) + 1
    last.counts = last.counts.map((count, bucket) => count + (counts[bucket] ?? 0))
  }
  return groups.map((group) => ({
    fromMs: group.from * intervalMs,
    toMs: group.to * intervalMs,
    ended: sum(group.counts),
    p50Ms: quantile(group.counts, heat.edgesMs, 0.5),
    p95Ms: quantile(group.counts, heat.edgesMs, 0.95),
  }))
}

function quantile(counts: readonly number[], edgesMs: readonly number[], q: number): number {
  let wanted = q * sum(counts)
  const bucket = counts.findIndex((count) => {
    if (count > 0 && wanted <= count) return true
    wanted -= count
    return false
  })
  const [low = 0, high = 0] = edgesMs.slice(bucket, bucket + 2)
  return low * (high / low) ** (wanted / (counts[bucket] ?? 1))
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

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
  const sums = (values: readonly number[]): number[] => groups(values).map(sum)
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
        (group[0] ?? []).map((_, bucket) => sum(group.map((row) => row[bucket] ?? 0))),
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
    sum(counts.slice(column * stride, (column + 1) * stride)),
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
  return Math.floor(Math.min(width / 7, Math.max(24, sum(series.offered) / 4)))
}
