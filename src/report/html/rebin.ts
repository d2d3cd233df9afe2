/** Fewer, wider intervals of a time series, so that a picture of any width can hold it. */
import type { Series } from '../../analysis/document.ts'

/** At most `columns` intervals. Counts add up; gauges and quantiles keep their highest value, so that no peak is hidden. */
export function rebin(series: Series, columns: number): Series {
  const stride = Math.ceil(series.offered.length / Math.max(1, columns))
  if (stride <= 1) return series
  const groups = <T>(values: readonly T[]): T[][] =>
    Array.from({ length: Math.ceil(values.length / stride) }, (_, group) =>
      values.slice(group * stride, (group + 1) * stride),
    )
  const sums = (values: readonly number[]): number[] => groups(values).map(sum)
  const highest = (values: readonly (number | null)[]): (number | null)[] => groups(values).map(max)
  return {
    ...series,
    intervalMs: series.intervalMs * stride,
    offered: sums(series.offered),
    accepted: sums(series.accepted),
    ended: sums(series.ended),
    inFlight: groups(series.inFlight).map((group) => Math.max(...group)),
    statusPerSecond: groups(series.statusPerSecond).map((group) => sum(group) / group.length),
    executionP50Ms: highest(series.executionP50Ms),
    executionP95Ms: highest(series.executionP95Ms),
    kickoffP95Ms: highest(series.kickoffP95Ms),
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

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

function max(values: readonly (number | null)[]): number | null {
  return values.reduce(
    (best, value) => (value !== null && (best === null || value > best) ? value : best),
    null,
  )
}
