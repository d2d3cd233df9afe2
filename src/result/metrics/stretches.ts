/** Quantiles over time, each over an interval in which enough executions ended. */
import type { Series } from '../document.ts'
import { sumOf } from '../statistics/moments.ts'
import { quantileInRows } from '../statistics/quantiles.ts'

/** With fewer than 20 samples the 95th percentile is the largest of them. */
export const FEWEST_ENDED = 20

export interface Stretch {
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
 * ended in each; the rest joins the last one. Quantiles are read from the heat map's rows, so they
 * are as precise as the rows' edges are close, which is what the picture can show. None when too
 * few executions ended in all.
 */
export function stretches(series: Series): Stretch[] {
  const { intervalMs, heat } = series
  const columns = heat.counts.slice(0, untilLastArrival(series))
  const groups: { from: number; to: number; counts: number[] }[] = []
  let [from, counts] = [0, heat.edgesMs.slice(1).map(() => 0)]
  for (const [column, row] of columns.entries()) {
    counts = counts.map((count, bucket) => count + (row[bucket] ?? 0))
    if (sumOf(counts) < FEWEST_ENDED) continue
    groups.push({ from, to: column + 1, counts })
    ;[from, counts] = [column + 1, counts.map(() => 0)]
  }
  const last = groups.at(-1)
  if (last !== undefined && sumOf(counts) > 0) {
    last.to = columns.findLastIndex((row) => sumOf(row) > 0) + 1
    last.counts = last.counts.map((count, bucket) => count + (counts[bucket] ?? 0))
  }
  return groups.map((group) => ({
    fromMs: group.from * intervalMs,
    toMs: group.to * intervalMs,
    ended: sumOf(group.counts),
    p50Ms: quantileInRows(group.counts, heat.edgesMs, 0.5),
    p95Ms: quantileInRows(group.counts, heat.edgesMs, 0.95),
  }))
}
