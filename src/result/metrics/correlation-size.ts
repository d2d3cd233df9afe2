/** Computes how many independent observations the correlated ones of a metric are worth. */
import { once } from '../../base/collections/once.ts'
import type { MetricReference } from '../../scenario/thresholds/metrics.ts'
import { lifetimesOf, shareCountOf } from './family-measures.ts'
import type { ArrivalBin } from '../counting/tallies/arrival-series.ts'
import type { WindowTally } from '../counting/tallies/window.ts'
import type { Counted, EffectiveSize } from '../statistics/batches.ts'
import { effectiveSize, effectiveSizeBeside, effectiveSizeOfVaried } from '../statistics/batches.ts'
import { estimateQuantile, finite } from '../statistics/quantiles.ts'
import type { Lifetimes } from '../statistics/sample.ts'
import { sidesOf, sizeOf } from '../statistics/sample.ts'

/**
 * Executions that queue behind each other are not independent, nor are the polls of one execution.
 * Returns a function that gives, for a time, the size by batches of the arrivals in their order
 * (`effectiveSize`), for the share beyond that time. Its companions are the series beyond the
 * sample's own quantiles. The size is n if the order is unknown.
 */
export function effectiveBeyond(
  series: readonly ArrivalBin[],
  reference: MetricReference,
  all: Lifetimes,
): (micros: number) => number {
  const n = sizeOf(all)
  const beyond = binsBeyond(series, reference)
  let sizeBeside: ((bins: readonly Counted[]) => EffectiveSize) | null = null
  return (micros) => {
    sizeBeside ??= effectiveSizeBeside(companionsOf(reference, all).map(beyond))
    return scaled(sizeBeside(beyond(micros)), n)
  }
}

/**
 * The number of independent observations that the correlated ones are worth: as evidence that a
 * bound was missed, and as evidence that it was kept.
 */
export interface SidedSize {
  toMiss: number
  toMeet: number
}

/**
 * The same for the bound of a threshold when the schedule varies the load by plan (a ramp, steps, a
 * spike). The planned rise affects every companion, which then takes it for correlation. A miss has
 * enough hits of its own to show how they cluster. A run without any hits proves nothing: if the
 * top of a ramp is overloaded and 5 % truly exceed the bound, no execution exceeds it in every
 * third run. What matters then is how near they came: if none took more than half the bound, all
 * observations count; otherwise the companions limit the size. With the truth at the bound, the
 * result is wrongly `met` in at most 1.9 % of ramps and steps and 4 % of spikes
 * (bench/results/calibration.md).
 */
export function effectiveOfVaried(
  series: readonly ArrivalBin[],
  reference: MetricReference,
  all: Lifetimes,
  bound: number,
): SidedSize {
  const n = sizeOf(all)
  const beyond = binsBeyond(series, reference)
  const own = beyond(bound)
  const toMiss = scaled(effectiveSize(own), n)
  if (sidesOf(all, bound / 2).above === 0) return { toMiss, toMeet: n }
  const companions = companionsOf(reference, all, [MEDIAN]).map(beyond)
  return { toMiss, toMeet: scaled(effectiveSizeOfVaried(own, ...companions), n) }
}

type BinsBeyond = (micros: number) => readonly Counted[]

/** By series and family of times: its metrics and its figure ask for the same quantiles. */
const knownBins = new WeakMap<readonly ArrivalBin[], Map<string, BinsBeyond>>()

function binsBeyond(series: readonly ArrivalBin[], reference: MetricReference): BinsBeyond {
  const families = knownBins.get(series) ?? new Map<string, BinsBeyond>()
  knownBins.set(series, families)
  const family = JSON.stringify({ ...reference, statistic: null })
  const known = families.get(family)
  if (known !== undefined) return known
  const parts = series.flatMap((bin) => lifetimesOf(reference, bin, null) ?? [])
  const bins = once((micros: number) =>
    parts.map((part) => ({ n: sizeOf(part), hits: sidesOf(part, micros).above })),
  )
  families.set(family, bins)
  return bins
}

/**
 * The same for a share of `n` in `group`. Executions that were stuck or turned away met congestion.
 * The times of all executions are then companions of these outcomes, because a few such outcomes
 * show too little of how they cluster.
 */
export function effectiveShare(
  series: readonly ArrivalBin[],
  reference: MetricReference,
  group: WindowTally,
  n: number,
): number {
  const bins = series.flatMap((bin) => {
    const share = shareCountOf(reference, bin)
    return share === null ? [] : [{ n: share.n - share.open, hits: share.hits }]
  })
  const isOfOutcomes = reference.kind === 'unserved' || reference.kind === 'outcome'
  const congested = isOfOutcomes && group.outcomes.stuck + group.outcomes.rejected > 0
  const companions = congested ? slowest(series, group.executions) : []
  return scaled(effectiveSize(bins, ...companions), n)
}

/** The series of executions beyond the upper quartile of all; empty if that is not a time. */
function slowest(series: readonly ArrivalBin[], all: Lifetimes): Counted[][] {
  const quartile = finite(estimateQuantile(all, UPPER_QUARTILE).value)
  if (quartile === null) return []
  const parts = series.map(({ group }) => group.executions)
  return [parts.map((part) => ({ n: sizeOf(part), hits: sidesOf(part, quartile).above }))]
}

/** Congestion affects times beyond this quantile as well, and they have more hits. */
const UPPER_QUARTILE = 0.75
const MEDIAN = 0.5

function companionsOf(
  reference: MetricReference,
  all: Lifetimes,
  more: readonly number[] = [],
): number[] {
  const own =
    'statistic' in reference && reference.statistic.kind === 'quantile' ? reference.statistic.q : 0
  return [...more, UPPER_QUARTILE, own].flatMap((q) =>
    q === 0 ? [] : (finite(estimateQuantile(all, q).value) ?? []),
  )
}

/** Scales a size from the observations that a series covers to all `n`. */
function scaled({ effective, counted }: EffectiveSize, n: number): number {
  return counted === 0 ? n : Math.min(n, (effective / counted) * n)
}
