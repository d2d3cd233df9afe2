/** How many independent observations a metric's correlated ones are worth. */
import type { MetricReference } from '../../scenario/thresholds/metrics.ts'
import { lifetimesOf, shareCountOf } from './counted.ts'
import type { ArrivalBin, Group } from '../observations.ts'
import type { Bin } from '../statistics/batches.ts'
import { effectiveSize } from '../statistics/batches.ts'
import { estimateQuantile, finite } from '../statistics/quantiles.ts'
import type { Lifetimes } from '../statistics/sample.ts'
import { sidesOf, sizeOf } from '../statistics/sample.ts'

/**
 * Executions that queue behind each other are not independent, nor are the polls of one execution. Gives a function of a time: the size by
 * batches of the arrivals in their order (`effectiveSize`) for the share beyond it. Its companions are the series beyond the sample's
 * own quantiles. n where the order is not known.
 */
export function effectiveBeyond(
  series: readonly ArrivalBin[],
  reference: MetricReference,
  all: Lifetimes,
): (micros: number) => number {
  const n = sizeOf(all)
  const parts = series.flatMap((bin) => lifetimesOf(reference, bin, null) ?? [])
  const beyond = (micros: number): Bin[] =>
    parts.map((part) => ({ n: sizeOf(part), hits: sidesOf(part, micros).above }))
  let companions: Bin[][] | null = null
  return (micros) => {
    companions ??= companionsOf(reference, all).map(beyond)
    return scaled(beyond(micros), companions, n)
  }
}

/**
 * The same for a share of `n` in `group`. Who was stuck or turned away met congestion: then the times of the same executions are companions
 * of what came of them, for a few such outcomes tell too little of how they cluster.
 */
export function effectiveShare(
  series: readonly ArrivalBin[],
  reference: MetricReference,
  group: Group,
  n: number,
): number {
  const bins = series.flatMap((bin) => {
    const share = shareCountOf(reference, bin)
    return share === null ? [] : [{ n: share.n - share.open, hits: share.hits }]
  })
  const isOfOutcomes = reference.kind === 'unserved' || reference.kind === 'outcome'
  const congested = isOfOutcomes && group.outcomes.stuck + group.outcomes.rejected > 0
  return scaled(bins, congested ? slowest(series, group.executions) : [], n)
}

/** The series of executions beyond the upper quartile of all, where that is a time. */
function slowest(series: readonly ArrivalBin[], all: Lifetimes): Bin[][] {
  const quartile = finite(estimateQuantile(all, UPPER_QUARTILE).value)
  if (quartile === null) return []
  const parts = series.map(({ group }) => group.executions)
  return [parts.map((part) => ({ n: sizeOf(part), hits: sidesOf(part, quartile).above }))]
}

/** Congestion moves them as well, and they have more hits. */
const UPPER_QUARTILE = 0.75

function companionsOf(reference: MetricReference, all: Lifetimes): number[] {
  const own =
    'statistic' in reference && reference.statistic.kind === 'quantile' ? reference.statistic.q : 0
  return [UPPER_QUARTILE, own].flatMap((q) =>
    q === 0 ? [] : (finite(estimateQuantile(all, q).value) ?? []),
  )
}

function scaled(bins: readonly Bin[], companions: readonly (readonly Bin[])[], n: number): number {
  const counted = bins.reduce((sum, bin) => sum + bin.n, 0)
  if (counted === 0) return n
  return Math.min(n, (effectiveSize(bins, ...companions).effective / counted) * n)
}
