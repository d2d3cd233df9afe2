/**
 * Measures how often a p95 is judged correctly when a queue's load varies by plan: ramps, steps and
 * spikes, over many runs of the same schedule.
 */
import { effectiveBeyond, effectiveOfVaried } from '../../../src/result/metrics/correlation-size.ts'
import type { SidedSize } from '../../../src/result/metrics/correlation-size.ts'
import type { ArrivalBin } from '../../../src/result/counting/tallies/arrival-series.ts'
import { uncensored } from '../../../src/result/statistics/sample.ts'
import type { Lifetimes } from '../../../src/result/statistics/sample.ts'
import { shareInterval } from '../../../src/result/statistics/shares.ts'
import type { Random } from '../../../src/base/random.ts'
import { sampleOf } from './coverage.ts'

export interface VariedQueue {
  servers: number
  /** The share of the servers' time at the highest rate; may be above 1. */
  peakLoad: number
  /** The rate at each part of the run, from 0 to 1, relative to the highest rate. */
  shape: (part: number) => number
  /** Expected number of arrivals. */
  arrivals: number
}

export const ramp: VariedQueue['shape'] = (part) => 0.1 + 0.9 * part
export const steps: VariedQueue['shape'] = (part) => 0.25 * (1 + Math.min(3, Math.floor(part * 4)))
/** The rate of a spike that lasts five of ninety minutes. */
export const spike: VariedQueue['shape'] = (part) => (part > 20 / 90 && part < 25 / 90 ? 1 : 0.2)
export const longSpike: VariedQueue['shape'] = (part) => (part > 1 / 3 && part < 2 / 3 ? 1 : 0.2)

/**
 * Times from arrival to end of each run, in mean service times, which are exponential; Poisson
 * arrivals, first come first served.
 */
export function variedRuns(queue: VariedQueue, count: number, random: Random): Float64Array[] {
  return Array.from({ length: count }, (_, run) => staysOf(queue, random.fork('run', run)))
}

function staysOf(queue: VariedQueue, random: Random): Float64Array {
  const { servers, peakLoad, shape, arrivals } = queue
  const peak = peakLoad * servers
  const end = arrivals / (peak * meanOf(shape))
  const free = new Float64Array(servers)
  const [gaps, services] = [random.fork('arrivals'), random.fork('services')]
  const stays: number[] = []
  for (let now = gaps.exponential() / peak; now <= end; now += gaps.exponential() / peak) {
    if (gaps.next() > shape(now / end)) continue
    const server = free.indexOf(Math.min(...free))
    const done = Math.max(now, free[server]!) + services.exponential()
    free[server] = done
    stays.push(done - now)
  }
  return Float64Array.from(stays)
}

const PARTS = 1_000

function meanOf(shape: VariedQueue['shape']): number {
  return (
    Array.from({ length: PARTS }, (_, i) => shape((i + 0.5) / PARTS)).reduce((a, b) => a + b) /
    PARTS
  )
}

/** The time that this share of all executions of all runs exceeds. */
export function exceededBy(share: number, runs: readonly Float64Array[]): number {
  const all = new Float64Array(runs.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const run of runs) {
    all.set(run, at)
    at += run.length
  }
  return all.sort()[Math.ceil((1 - share) * all.length) - 1]!
}

/** A p95 is below its bound when fewer than 5 % exceed it. */
const ALLOWED = 0.05
const BINS = 64

export interface VariedVerdicts {
  met: number
  missed: number
  /** The number of runs that meet the bound when judged as schedules of one rate are. */
  metAsSteady: number
  /** The number of runs in which no execution exceeded the bound. */
  none: number
}

/** Counts the runs that meet and miss a bound of their p95. */
export function judgedAt(bound: number, runs: readonly Float64Array[]): VariedVerdicts {
  const verdicts: VariedVerdicts = { met: 0, missed: 0, metAsSteady: 0, none: 0 }
  const reference = { kind: 'execution', statistic: { kind: 'quantile', q: 0.95 } } as const
  for (const run of runs) {
    const bad = run.reduce((sum, stay) => (stay > bound ? sum + 1 : sum), 0)
    const [all, series] = [lifetimes(run), seriesOf(run)]
    const size: SidedSize = effectiveOfVaried(series, reference, all, bound)
    const steady = effectiveBeyond(series, reference, all)(bound)
    const interval = (effective: number) => shareInterval(bad, run.length, 0.95, effective)!
    if (interval(size.toMeet).high < ALLOWED) verdicts.met++
    if (interval(size.toMiss).low > ALLOWED) verdicts.missed++
    if (interval(steady).high < ALLOWED) verdicts.metAsSteady++
    if (bad === 0) verdicts.none++
  }
  return verdicts
}

function seriesOf(run: Float64Array): ArrivalBin[] {
  const edge = (bin: number): number => Math.round((bin * run.length) / BINS)
  return Array.from({ length: BINS }, (_, bin) => {
    const executions = lifetimes(run.subarray(edge(bin), edge(bin + 1)))
    return { group: { executions } } as ArrivalBin
  })
}

function lifetimes(stays: Float64Array): Lifetimes {
  return uncensored(sampleOf(stays.slice().sort()))
}
