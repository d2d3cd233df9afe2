/** Quantiles over time, each over an interval in which enough executions ended. */
import type { Series } from '../../../result/document.ts'

/** With fewer than 20 samples the 95th percentile is the largest of them. */
export const FEWEST_ENDED = 20

export interface ChartStretch {
  fromMs: number
  toMs: number
  ended: number
  p50Ms: number
  p95Ms: number
}

/**
 * Joins neighbouring intervals until at least `FEWEST_ENDED` executions ended in each; the rest at
 * the end joins the last one. Quantiles are read from the heat map's rows, interpolated by the
 * logarithm within a row, so they are as precise as the row's edges are close, which is what the
 * picture can show. None when too few executions ended in all.
 */
export function stretches({ intervalMs, heat }: Series): ChartStretch[] {
  const groups: { from: number; to: number; counts: number[] }[] = []
  let [from, counts] = [0, heat.edgesMs.slice(1).map(() => 0)]
  for (const [column, row] of heat.counts.entries()) {
    counts = counts.map((count, bucket) => count + (row[bucket] ?? 0))
    if (sum(counts) < FEWEST_ENDED) continue
    groups.push({ from, to: column + 1, counts })
    ;[from, counts] = [column + 1, counts.map(() => 0)]
  }
  const last = groups.at(-1)
  if (last !== undefined && sum(counts) > 0) {
    last.to = heat.counts.length
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

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
