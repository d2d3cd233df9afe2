/**
 * Computes how many independent observations a correlated series is worth, by the spread of
 * batches.
 */
import { studentT } from './beta.ts'

/**
 * Observations, such as those of a run or those that came one after another, and how many of them
 * had the property in question.
 */
export interface Counted {
  n: number
  hits: number
}

export interface EffectiveSize {
  /** The effective size: above 0, at most the number of observations. */
  effective: number
  /** Observations of the series. */
  counted: number
  /** Whether there are too few observations to estimate it, so that independence is assumed. */
  assumedIndependent: boolean
}

/** With fewer observations, batches are too small to show anything. */
const FEWEST = 80

const BATCHES = [8, 16, 32]
/**
 * A planned rise of the load concentrates congestion in one part of the run, which can be as long
 * as a quarter of it.
 */
const BATCHES_OF_VARIED = [4, ...BATCHES]

/**
 * The number n* of independent observations whose share of hits would be as certain as that of this
 * series, in order of arrival: up to 64 bins of about equal n are joined into 8, 16 and 32 batches,
 * and the least n* = p (1 - p) / v counts, where p is the share of all and v the variance of its
 * estimate from batch to batch (a ratio estimate, because batches need not be equal). Each is
 * multiplied by (t(n - 1) / t(k - 1))^2, because it is known from only k batches (Korn and
 * Graubard, "Confidence intervals for proportions with small expected number of positive counts
 * estimated from survey data", 1998). A series without hits, or of nothing else, has no spread: n.
 *
 * Rare hits say little about how they cluster: for waits in a queue above a bound, the series alone
 * gives intervals with a coverage of 91 to 95 % at 4 servers and a load of 0.67, with nearly all
 * errors on the good side. `companions` are other series of the same observations that congestion
 * also affects, and the worst of all counts. For a bound on a time, give the observations above the
 * sample's own quantile, and above its upper quartile, whose hits are five times as many as those
 * of a p95. With these, at least 94 % contain the truth up to a load of 0.7, and at least 90 %
 * above it from 200 relaxation times on (bench/results/calibration.md).
 */
export function effectiveSize(
  bins: readonly Counted[],
  ...companions: readonly (readonly Counted[])[]
): EffectiveSize {
  return sizeBy([bins, ...companions], BATCHES)
}

/**
 * The same for many series that share their companions, of which each is looked at only once: gives
 * the size of a series.
 */
export function effectiveSizeBeside(
  companions: readonly (readonly Counted[])[],
): (bins: readonly Counted[]) => EffectiveSize {
  const parts = companions.map(knownPart)
  return (bins) => sizeOfLeast(bins, [knownPart(bins), ...parts])
}

/** What is a companion of one series is often a series of its own as well. */
const knownParts = new WeakMap<readonly Counted[], number | null>()

function knownPart(bins: readonly Counted[]): number | null {
  const known = knownParts.get(bins)
  if (known !== undefined) return known
  const part = independentPart(bins, BATCHES)
  knownParts.set(bins, part)
  return part
}

/**
 * The same if the schedule varies the load by plan: 4 batches are also used. At the top of a ramp
 * that reaches the capacity of a queue, relaxation takes longest: with 8 and more batches, up to
 * 14 % of series are wrongly good because fewer hits than expected appear; with 4, up to 4 %.
 */
export function effectiveSizeOfVaried(
  bins: readonly Counted[],
  ...companions: readonly (readonly Counted[])[]
): EffectiveSize {
  return sizeBy([bins, ...companions], BATCHES_OF_VARIED)
}

/** The size of the first series; the others are its companions. */
function sizeBy(all: readonly (readonly Counted[])[], batches: readonly number[]): EffectiveSize {
  const parts = all.map((bins) => independentPart(bins, batches))
  return sizeOfLeast(all[0] ?? [], parts)
}

/** Takes the least of the parts; the first is the series' own. */
function sizeOfLeast(bins: readonly Counted[], parts: readonly (number | null)[]): EffectiveSize {
  const n = sizeOfAll(bins)
  const [own = null] = parts
  if (own === null) return { effective: n, counted: n, assumedIndependent: true }
  const least = Math.min(...parts.filter((part) => part !== null))
  return { effective: n * least, counted: n, assumedIndependent: false }
}

/** The ratio n* / n, above 0 and at most 1; null if there are too few observations. */
function independentPart(bins: readonly Counted[], batches: readonly number[]): number | null {
  const filled = bins.filter(({ n }) => n > 0)
  const n = sizeOfAll(filled)
  const hits = filled.reduce((sum, bin) => sum + bin.hits, 0)
  if (n < FEWEST || filled.length < 2) return null
  if (hits === 0 || hits === n) return 1
  const sizes = batches.map((count) => sizeFrom(joined(filled, n, count), n, hits))
  return Math.min(n, ...sizes) / n
}

function sizeOfAll(bins: readonly Counted[]): number {
  return bins.reduce((sum, { n }) => sum + n, 0)
}

function sizeFrom(batches: readonly Counted[], n: number, hits: number): number {
  const share = hits / n
  const k = batches.length
  const squares = batches.reduce((sum, batch) => sum + (batch.hits - share * batch.n) ** 2, 0)
  const variance = ((k / (k - 1)) * squares) / n ** 2
  if (variance === 0) return n
  return ((share * (1 - share)) / variance) * (studentT(n - 1) / studentT(k - 1)) ** 2
}

/**
 * At most `count` batches: each bin is joined to the batch in which its middle observation lies.
 */
function joined(bins: readonly Counted[], n: number, count: number): Counted[] {
  const batches = Array.from({ length: count }, () => ({ n: 0, hits: 0 }))
  let before = 0
  for (const bin of bins) {
    const batch = batches[Math.floor(((before + bin.n / 2) / n) * count)]!
    batch.n += bin.n
    batch.hits += bin.hits
    before += bin.n
  }
  return batches.filter((batch) => batch.n > 0)
}
