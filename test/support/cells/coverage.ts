/**
 * Measures how often 95 % intervals over waits in a queue contain the true value, compared with
 * intervals that assume independent waits.
 */
import type { Counted } from '../../../src/result/statistics/batches.ts'
import { effectiveSize } from '../../../src/result/statistics/batches.ts'
import { relaxationArrivals } from '../../../src/result/statistics/planning.ts'
import type { QuantileEstimate } from '../../../src/result/statistics/quantiles.ts'
import { estimateQuantile } from '../../../src/result/statistics/quantiles.ts'
import type { Bucket, Lifetimes, Sample } from '../../../src/result/statistics/sample.ts'
import { EMPTY_SAMPLE, sidesOf, sizeOf } from '../../../src/result/statistics/sample.ts'
import { shareInterval } from '../../../src/result/statistics/shares.ts'
import { assert } from '../../../src/base/assert.ts'
import type { Random } from '../../../src/base/random.ts'
import type { Queue, Visits } from './queue.ts'
import { visits } from './queue.ts'

export interface Cell {
  queue: Queue
  /** The true p95 of the stay, in mean service times. */
  p95: number
  arrivals: number
  replications: number
  /** Whether executions still present at the last arrival are right-censored. */
  isCut?: boolean
}

/** Counts where the true value was relative to the interval, over all replications. */
export interface Tally {
  held: number
  /** The whole interval of the p95, or of the share above it, was on the good side: too low. */
  tooGood: number
  tooBad: number
}

export interface Coverage {
  p95: Tally
  p95Independent: Tally
  /** The result for the share above the true p95, which is 5 %. */
  share: Tally
  shareIndependent: Tally
  /** The same result when the series of this share alone is used. */
  shareAlone: Tally
  /** The mean of effective size over n, for the p95. */
  effectivePart: number
}

/** One mean service time in microseconds. */
const MICROS = 1_000_000
const Q = 0.95
const COMPANION = 0.75

function none(): Tally {
  return { held: 0, tooGood: 0, tooBad: 0 }
}

export function coverageOf(cell: Cell, random: Random): Coverage {
  const coverage: Coverage = {
    p95: none(),
    p95Independent: none(),
    share: none(),
    shareIndependent: none(),
    shareAlone: none(),
    effectivePart: 0,
  }
  const unseen = Math.ceil(10 * relaxationArrivals(cell.queue.load)) + 200
  for (let run = 0; run < cell.replications; run++) {
    const seen = visits(cell.queue, cell.arrivals, unseen, random.fork('run', run))
    tally(coverage, observed(seen, cell.isCut ?? false), cell.p95 * MICROS)
  }
  coverage.effectivePart /= cell.replications
  return coverage
}

interface Observed {
  lifetimes: Lifetimes
  /** The times in order of arrival, in whole microseconds; a censored one is negative. */
  watched: Float64Array
}

function observed({ arrived, stayed }: Visits, isCut: boolean): Observed {
  const end = isCut ? arrived.at(-1)! : Infinity
  const watched = stayed.map((time, i) => {
    const longest = end - arrived[i]!
    return time <= longest ? Math.ceil(time * MICROS) : -Math.max(1, Math.ceil(longest * MICROS))
  })
  const sorted = watched.slice().sort()
  const first = sorted.findIndex((time) => time > 0)
  const censored = sorted.subarray(0, first).map((time) => -time)
  const lifetimes = {
    ended: sampleOf(sorted.subarray(first)),
    censored: sampleOf(censored.sort()),
    never: 0,
  }
  return { lifetimes, watched }
}

const BINS = 64

/** Counts the values known to be on one side of a bound, and those above it. */
function binsAbove(watched: Float64Array, bound: number): Counted[] {
  const bins = Array.from({ length: BINS }, () => ({ n: 0, hits: 0 }))
  const n = watched.length
  for (let i = 0; i < n; i++) {
    const time = watched[i]!
    const isAbove = Math.abs(time) > bound
    if (time < 0 && !isAbove) continue
    const bin = bins[Math.floor((i * BINS) / n)]!
    bin.n++
    if (isAbove) bin.hits++
  }
  return bins
}

function tally(coverage: Coverage, { lifetimes, watched }: Observed, truth: number): void {
  const n = sizeOf(lifetimes)
  const independent = estimateQuantile(lifetimes, Q)
  const companion = estimateQuantile(lifetimes, COMPANION).value
  assert(typeof independent.value === 'number', 'a cell is large enough for its p95')
  assert(typeof companion === 'number', 'a p95 leaves an upper quartile below it')
  const own = binsAbove(watched, independent.value)
  const quartile = binsAbove(watched, companion)
  const { effective } = effectiveSize(own, quartile)
  coverage.effectivePart += effective / n
  putQuantile(coverage.p95Independent, independent, truth)
  putQuantile(coverage.p95, estimateQuantile(lifetimes, Q, { effective }), truth)
  const series = binsAbove(watched, truth)
  putShare(coverage.shareIndependent, lifetimes, truth, n)
  putShare(coverage.shareAlone, lifetimes, truth, effectiveSize(series).effective)
  putShare(coverage.share, lifetimes, truth, effectiveSize(series, own, quartile).effective)
}

function putQuantile(tally: Tally, { low, high }: QuantileEstimate, truth: number): void {
  if (low === 'never' || (low !== null && low > truth)) tally.tooBad++
  else if (typeof high === 'number' && high < truth) tally.tooGood++
  else tally.held++
}

/** An open execution may have ended below the bound, or not. */
function putShare(tally: Tally, lifetimes: Lifetimes, truth: number, effective: number): void {
  const { above, undetermined } = sidesOf(lifetimes, truth)
  const n = sizeOf(lifetimes)
  const { low } = shareInterval(above, n, 0.95, effective)!
  const { high } = shareInterval(above + undetermined, n, 0.95, effective)!
  if (low > 1 - Q) tally.tooBad++
  else if (high < 1 - Q) tally.tooGood++
  else tally.held++
}

/** Makes a sample from times in rising order. */
export function sampleOf(sorted: Float64Array): Sample {
  let buckets: Bucket[] | null = null
  return {
    ...EMPTY_SAMPLE,
    n: sorted.length,
    min: sorted[0] ?? null,
    max: sorted.at(-1) ?? null,
    atRank: (rank) => sorted[rank - 1]!,
    buckets: () => (buckets ??= bucketsOf(sorted)),
  }
}

function bucketsOf(sorted: Float64Array): Bucket[] {
  const buckets: Bucket[] = []
  for (const value of sorted) {
    const last = buckets.at(-1)
    if (last?.value === value) last.count++
    else buckets.push({ value, count: 1 })
  }
  return buckets
}
