/**
 * Computes the measures of one visit of a rung from its counts, each with its interval, and the
 * doubts about them.
 */
import type { FindingRule } from '../../../result/sentence-tables.ts'
import { findingOf, findingsBy } from '../../../result/sentence-tables.ts'
import type { Quantity } from '../../../result/document.ts'
import { estimateQuantile, finite } from '../../../result/statistics/quantiles.ts'
import type { Bucket, Sample } from '../../../result/statistics/sample.ts'
import { uncensored } from '../../../result/statistics/sample.ts'
import type { SaturationRung, SaturationVisit, VisitDoubt } from '../document.ts'
import { DOUBTS } from '../sentences.ts'
import { shareInterval } from '../../../result/statistics/shares.ts'
import { studentT } from '../../../result/statistics/beta.ts'
import type { Micros } from '../../../base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND, optionalMs } from '../../../base/units.ts'
import { deviationOf, meanOf } from '../../../result/statistics/moments.ts'

/** The counts in the window of one visit. */
export interface VisitCounts {
  connections: number
  windowMicros: Micros
  /** Service times of good answers. */
  latency: Sample
  /** Requests without a good answer, by status code or failure class. */
  errors: Readonly<Record<string, number>>
  /**
   * The sum over all requests, including those in flight at the edges, of their time within the
   * window.
   */
  busyMicros: Micros
  /** Good answers in each whole slice of the window, SLICE_MICROS long. */
  slices: readonly number[]
  /** 0 to 1; null when there was no window. */
  utilisation: number | null
  /** 0 to 1; null where the system does not say. */
  stolen: number | null
  reconnects: number
  endedBy: SaturationVisit['endedBy']
  sent: number
}

/** The slices from which batches are formed, whose means give the interval of the throughput. */
export const SLICE_MICROS = 100_000

/** With a larger share of errors, a visit counts neither for the ceiling nor for the knee. */
const ERROR_SHARE_BOUND = 0.01
export const LITTLE_BOUND = 0.1
export const UTILISATION_BOUND = 0.9
/** A rung reaches another one within 5 % of it, so that a larger loss may move the knee. */
export const STOLEN_BOUND = 0.05
/**
 * The edges of the window cut up to one request per connection each: of five requests, a tenth on
 * average.
 */
const FEWEST_PER_CONNECTION = 5
/** In a shorter window, other activity on this machine decides the result by chance. */
export const SHORTEST_WINDOW_MS = 1_000

export function measureVisit(counts: VisitCounts, pass: number): SaturationVisit {
  const { latency, connections, windowMicros, utilisation, stolen, reconnects } = counts
  const { endedBy, sent } = counts
  const bad = Object.values(counts.errors).reduce((sum, count) => sum + count, 0)
  const requests = latency.n + bad
  const inUse = windowMicros === 0 ? 0 : counts.busyMicros / windowMicros
  const measured: Omit<SaturationVisit, 'doubts'> = {
    pass,
    connections,
    windowMs: windowMicros / MICROS_PER_MS,
    throughput: throughputOf(counts),
    latency: {
      p50: quantileMetric(latency, 0.5),
      p95: quantileMetric(latency, 0.95),
      p99: quantileMetric(latency, 0.99),
      maxMs: latency.max === null ? null : latency.max / MICROS_PER_MS,
      meanMs: latency.n === 0 ? null : latency.sum / latency.n / MICROS_PER_MS,
    },
    requests,
    errors: shareMetric(bad, requests),
    errorClasses: classesOf([counts.errors]),
    little: { connections: inUse, residual: Math.abs(connections - inUse) / connections },
    utilisation,
    stolen,
    reconnects,
    endedBy,
    sent,
  }
  return { ...measured, doubts: doubtsOf(measured) }
}

/** Sums errors by class, most frequent first. */
function classesOf(
  all: readonly Readonly<Record<string, number>>[],
): SaturationVisit['errorClasses'] {
  const sums = new Map<string, number>()
  for (const errors of all) {
    for (const [name, n] of Object.entries(errors)) sums.set(name, (sums.get(name) ?? 0) + n)
  }
  return Array.from(sums, ([name, n]) => ({ class: name, count: n })).sort(
    (a, b) => b.count - a.count || (a.class < b.class ? -1 : 1),
  )
}

type RungDoubts = Pick<SaturationRung, 'doubts'>

/** For a text that says the unit itself. */
export function withoutUnit(throughput: Quantity): Quantity {
  return { ...throughput, unit: 'count' }
}

/**
 * Whether a visit, or a rung, is evidence for ceiling and knee. A saturated generator gives a lower
 * bound, which is evidence too.
 */
export function isTrusted({ doubts }: RungDoubts): boolean {
  return doubts.every(({ code }) => code === 'generator')
}

export function isGeneratorBound({ doubts }: RungDoubts): boolean {
  return doubts.some(({ code }) => code === 'generator')
}

/**
 * Good answers over the whole window, with the relative half-width of the mean of its batches; with
 * too few batches, that of the service times.
 */
function throughputOf({ latency, windowMicros, slices }: VisitCounts): Quantity {
  const { n } = latency
  if (windowMicros === 0) {
    return { value: null, unit: 'perSecond', low: null, high: null, n, needed: null }
  }
  const value = n / (windowMicros / MICROS_PER_SECOND)
  const batches = batchesOf(slices, latency)
  const width = relativeHalfWidth(batches.length < FEWEST_BATCHES ? latency.buckets() : batches)
  const [low, high] =
    width === null ? [null, null] : [Math.max(0, value * (1 - width)), value * (1 + width)]
  return { value, unit: 'perSecond', low, high, n, needed: null }
}

/**
 * The fewest batches: with fewer, the interval is wide because of their number alone, as t(1) is
 * 12.7.
 */
const FEWEST_BATCHES = 5
/**
 * 10 to 30 batches are sufficient (Schmeiser, "Batch size effects in the analysis of simulation
 * output", Operations Research 30(3), 1982).
 */
const ENOUGH_BATCHES = 10
/** In a shorter batch, chance decides whether a connection's answer still falls into it. */
const BATCH_SERVICE_TIMES = 4
const LONGEST_BATCH = MICROS_PER_SECOND / SLICE_MICROS

/**
 * Good answers by batch (batch means: Law, "Simulation Modeling and Analysis", section 9.5.3): a
 * batch is a tenth of the window, at most a second, but at least four service times.
 */
function batchesOf(slices: readonly number[], { n, sum }: Sample): Bucket[] {
  const tenth = Math.floor(slices.length / ENOUGH_BATCHES)
  const service = n === 0 ? 0 : Math.ceil((BATCH_SERVICE_TIMES * sum) / n / SLICE_MICROS)
  const size = Math.max(1, Math.min(tenth, LONGEST_BATCH), service)
  return Array.from({ length: Math.floor(slices.length / size) }, (_, at) => {
    const batch = slices.slice(at * size, (at + 1) * size)
    return { value: batch.reduce((total, count) => total + count, 0), count: 1 }
  })
}

/**
 * The half-width of the 95 % interval of the mean, t(n - 1) s / sqrt(n), relative to the mean; null
 * for fewer than two values, or a mean of zero.
 */
function relativeHalfWidth(values: readonly Bucket[]): number | null {
  const n = values.reduce((sum, { count }) => sum + count, 0)
  const mean = values.reduce((sum, { value, count }) => sum + value * count, 0) / n
  if (n < 2 || mean === 0) return null
  const squares = values.reduce((sum, { value, count }) => sum + count * (value - mean) ** 2, 0)
  return (studentT(n - 1) * Math.sqrt(squares / (n - 1) / n)) / mean
}

function quantileMetric(latency: Sample, q: number): Quantity {
  const { value, low, high, n, needed } = estimateQuantile(uncensored(latency), q)
  return {
    value: optionalMs(finite(value)),
    unit: 'ms',
    low: optionalMs(finite(low)),
    high: optionalMs(finite(high)),
    n,
    needed,
  }
}

function shareMetric(count: number, n: number): Quantity {
  const { low, high } = shareInterval(count, n) ?? { low: null, high: null }
  return { value: n === 0 ? null : count / n, unit: 'share', low, high, n, needed: null }
}

function doubtsOf(visit: Omit<SaturationVisit, 'doubts'>): VisitDoubt[] {
  const { requests, connections, windowMs } = visit
  const needed = FEWEST_PER_CONNECTION * connections
  if (requests < needed) return [findingOf(DOUBTS, 'few', { requests, windowMs, needed })]
  return findingsBy(DOUBTS, DOUBTS_BY, visit)
}

const DOUBTS_BY: readonly FindingRule<typeof DOUBTS, Omit<SaturationVisit, 'doubts'>>[] = [
  [
    'short',
    ({ windowMs }) =>
      windowMs < SHORTEST_WINDOW_MS ? { windowMs, neededMs: SHORTEST_WINDOW_MS } : null,
  ],
  ['errors', ({ errors }) => above(errors.value, ERROR_SHARE_BOUND)],
  [
    'little',
    ({ little, connections }) =>
      little.residual > LITTLE_BOUND ? { inUse: little.connections, connections } : null,
  ],
  ['generator', ({ utilisation }) => above(utilisation, UTILISATION_BOUND)],
  ['stolen', ({ stolen }) => above(stolen, STOLEN_BOUND)],
]

function above(share: number | null, bound: number): { share: number; bound: number } | null {
  return share !== null && share > bound ? { share, bound } : null
}

/** In rising order of connections. */
export function rungsOf(visits: readonly SaturationVisit[]): SaturationRung[] {
  const ladder = [...new Set(visits.map(({ connections }) => connections))].sort((a, b) => a - b)
  return ladder.map((each) => rungOf(visits.filter(({ connections }) => connections === each)))
}

/**
 * The visits of one rung that its means are over: those that count, if they are at least half of
 * them; otherwise the rung does not count, and they are all of them.
 */
export function countingVisits(visits: readonly SaturationVisit[]): readonly SaturationVisit[] {
  const counting = visits.filter(isTrusted)
  return 2 * counting.length >= visits.length ? counting : visits
}

function rungOf(visits: readonly SaturationVisit[]): SaturationRung {
  const used = countingVisits(visits)
  const connections = used[0]?.connections ?? 0
  const sum = (of: (visit: SaturationVisit) => number, over = visits): number =>
    over.reduce((total, visit) => total + of(visit), 0)
  const requests = sum((visit) => visit.requests)
  const inUse = meanOf(used.map(({ little }) => little.connections))
  const errorClasses = classesOf(
    visits.map((visit) => Object.fromEntries(visit.errorClasses.map((e) => [e.class, e.count]))),
  )
  return {
    connections,
    visits: visits.length,
    counted: visits.filter(isTrusted).length,
    windowMs: sum(({ windowMs }) => windowMs, used),
    throughput: meanOver(used.map(({ throughput }) => throughput)),
    latency: latencyOver(used),
    requests,
    errors: shareMetric(
      errorClasses.reduce((total, { count }) => total + count, 0),
      requests,
    ),
    errorClasses,
    little: { connections: inUse, residual: Math.abs(connections - inUse) / connections },
    utilisation: meanOrNull(used.map(({ utilisation }) => utilisation)),
    reconnects: sum(({ reconnects }) => reconnects),
    sent: sum(({ sent }) => sent),
    doubts: doubtsOver(used),
  }
}

function latencyOver(visits: readonly SaturationVisit[]): SaturationRung['latency'] {
  const all = visits.map(({ latency }) => latency)
  const longest = all.flatMap(({ maxMs }) => maxMs ?? [])
  return {
    p50: meanOver(all.map(({ p50 }) => p50)),
    p95: meanOver(all.map(({ p95 }) => p95)),
    p99: meanOver(all.map(({ p99 }) => p99)),
    maxMs: longest.length === 0 ? null : Math.max(...longest),
    meanMs: meanOrNull(all.map(({ meanMs }) => meanMs)),
  }
}

/**
 * Of visits that count, a saturated generator is a doubt about the rung if it is one about half of
 * them. Of others, every kind of doubt.
 */
function doubtsOver(visits: readonly SaturationVisit[]): VisitDoubt[] {
  const doubts = visits.flatMap((visit) => visit.doubts)
  if (visits.every(isTrusted)) return 2 * doubts.length >= visits.length ? doubts.slice(0, 1) : []
  return doubts.filter(({ code }, at) => doubts.findIndex((each) => each.code === code) === at)
}

/**
 * The mean of what several visits measured, and where another one would be; of a single visit its
 * own interval, which covers that visit alone. Without a value as soon as one of them has none.
 */
function meanOver(all: readonly Quantity[]): Quantity {
  const lacking = all.find(({ value }) => value === null) ?? all[0]!
  if (all.length === 1 || lacking.value === null) return lacking
  const { value, low, high } = intervalOfAnother(all.map((each) => each.value ?? 0))
  const n = all.reduce((sum, each) => sum + each.n, 0)
  return { ...lacking, value, low, high, n }
}

export interface RungInterval {
  value: number
  low: number
  high: number
}

/**
 * The mean of two or more positive values, and where another one would be with 95 % confidence:
 * the prediction interval t(n - 1) s sqrt(1 + 1 / n) (Hahn and Meeker, "Statistical Intervals",
 * 1991, 4.7). The interval of the mean would become narrower with every visit, although a machine
 * that drifts does not: two studies would contradict each other.
 */
export function intervalOfAnother(values: readonly number[]): RungInterval {
  const value = meanOf(values)
  const n = values.length
  const half = studentT(n - 1) * deviationOf(values) * Math.sqrt(1 + 1 / n)
  return { value, low: Math.max(0, value - half), high: value + half }
}

function meanOrNull(values: readonly (number | null)[]): number | null {
  const known = values.flatMap((value) => value ?? [])
  return known.length === 0 ? null : meanOf(known)
}
