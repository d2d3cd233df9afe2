/** Summarises one metric of the runs of one side. */
import type { Metric } from '../../result/document.ts'
import { finite, median, rankOf, rankInterval } from '../../result/statistics/quantiles.ts'
import type { Counted } from '../../result/statistics/batches.ts'
import { pooled } from '../../result/statistics/comparing/two-shares.ts'
import { parseMetric } from '../../scenario/thresholds/metrics.ts'
import type { ComparedSide } from './shapes.ts'

type SideRuns = readonly Metric[]

/** The runs that measured the metric. */
export function measuredOf(metrics: SideRuns): Metric[] {
  return metrics.filter(({ value }) => value !== null)
}

/** The summary as reports show it. Runs that did not measure the metric are left out. */
export function sideOf(metrics: SideRuns): Omit<ComparedSide, 'typical'> {
  const measured = measuredOf(metrics)
  const rising = valuesOf(measured).toSorted((a, b) => a - b)
  const runs = rising.length
  const own = { median: medianOfRuns(measured), overall: shareOverRuns(measured), runs }
  const [only] = measured
  if (runs === 1) return { ...own, low: finite(only!.low), high: finite(only!.high) }
  const ranks = rankInterval(runs, 0.5)
  const whole = ranks.low !== null && ranks.high !== null
  return {
    ...own,
    low: whole ? finiteOrNull(rising[ranks.low! - 1]!) : null,
    high: whole ? finiteOrNull(rising[ranks.high! - 1]!) : null,
  }
}

type RunValues = readonly Pick<Metric, 'value'>[]

/** The values by which runs rank: `never` is later than any time. */
export function valuesOf(measured: RunValues): number[] {
  return measured.map(({ value }) => (value === 'never' ? Infinity : value!))
}

/** The median of the runs; `never` if most of them have none; null without a run. */
export function medianOfRuns(measured: RunValues): ComparedSide['median'] {
  if (measured.length === 0) return null
  const typical = median(valuesOf(measured))
  return Number.isFinite(typical) ? typical : 'never'
}

/** The share over all runs. Null if the metric is not a share, or nothing was counted. */
export function shareOverRuns(metrics: SideRuns): number | null {
  if (metrics[0]?.unit !== 'share') return null
  const { hits, n } = pooled(countsOf(metrics))
  return n === 0 ? null : hits / n
}

/**
 * The counts of each run. For a single run, they are those of the effective size if its
 * observations are dependent, because it has no other runs to show how much they vary.
 */
export function countsOf(metrics: readonly Metric[]): Counted[] {
  const alone = metrics.filter(({ value }) => value !== null).length === 1
  return metrics.flatMap(({ value, n, effective }) => {
    if (value === null || value === 'never') return []
    const size = alone ? Math.min(n, effective ?? n) : n
    return [{ hits: value * size, n: size }]
  })
}

/** How many executions of each run it never came to: at least as many as its value says. */
export function neverCountsOf(name: string, measured: SideRuns): Counted[] {
  return measured.map(({ value, n, never }) => {
    const least = value === 'never' ? leastNever(name, n) : 0
    return { hits: Math.min(n, Math.max(never, least)), n }
  })
}

/** The fewest of `n` to whom it never came where the metric is `never`. */
function leastNever(name: string, n: number): number {
  const reference = parseMetric(name)
  const statistic = reference !== undefined && 'statistic' in reference ? reference.statistic : null
  return statistic?.kind === 'quantile' ? n - rankOf(n, statistic.q) + 1 : 1
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null
}
