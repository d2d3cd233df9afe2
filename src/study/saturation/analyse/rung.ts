/** Combines the visits of each rung: their means, and where another visit would be. */
import type { Quantity } from '../../../result/document.ts'
import { studentT } from '../../../result/statistics/distributions/student.ts'
import { deviationOf, meanOf } from '../../../result/statistics/moments.ts'
import type { SaturationRung, SaturationVisit, VisitDoubt } from '../document.ts'
import { classesOf, isTrusted, shareMetric } from './visit.ts'

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
