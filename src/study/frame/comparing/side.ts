/** Summarises one metric of the runs of one side. */
import type { Metric } from '../../../analysis/document.ts'
import { finite, middle } from '../../../analysis/statistics/quantiles.ts'
import { rankInterval } from '../../../analysis/statistics/ranks.ts'
import type { Counted } from '../../../analysis/statistics/comparing/two-shares.ts'
import { pooled } from '../../../analysis/statistics/comparing/two-shares.ts'
import type { ComparedSide } from './shapes.ts'

/** The summary as reports show it. Runs that did not measure the metric are left out. */
export function sideOf(metrics: readonly Metric[]): ComparedSide {
  const values = metrics.flatMap(({ value }) => (value === null ? [] : [rank(value)]))
  values.sort((a, b) => a - b)
  const runs = values.length
  const own = { overall: overallShare(metrics), runs }
  if (runs === 1) {
    const only = metrics.find(({ value }) => value !== null)
    return { median: shown(values[0]!), low: finite(only!.low), high: finite(only!.high), ...own }
  }
  if (runs === 0) return { median: null, low: null, high: null, ...own }
  const ranks = rankInterval(runs, 0.5)
  const whole = ranks.low !== null && ranks.high !== null
  return {
    median: shown(middle(values)),
    low: whole ? finiteOrNull(values[ranks.low! - 1]!) : null,
    high: whole ? finiteOrNull(values[ranks.high! - 1]!) : null,
    ...own,
  }
}

/** Null if the metric is not a share, or nothing was counted. */
function overallShare(metrics: readonly Metric[]): number | null {
  if (metrics[0]?.unit !== 'share') return null
  const { hits, n } = pooled(countsOf(metrics))
  return n === 0 ? null : hits / n
}

/** Natural logarithms; null where a run has none, or one that is not above 0. */
export function logsOf(metrics: readonly Metric[]): number[] | null {
  const measured = metrics.filter(({ value }) => value !== null)
  const logs = measured.map(({ value }) => (value === 'never' ? NaN : Math.log(value!)))
  return logs.length > 0 && logs.every(Number.isFinite) ? logs : null
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

/** `never` is later than any time. */
function rank(value: number | 'never'): number {
  return value === 'never' ? Infinity : value
}

function shown(value: number): number | 'never' {
  return Number.isFinite(value) ? value : 'never'
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null
}
