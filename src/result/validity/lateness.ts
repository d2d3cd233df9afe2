/** Whether the generator was late: judged over all requests, and over those of each instance. */
import type { Micros } from '../../base/units.ts'
import { formatDuration, MICROS_PER_MS } from '../../base/units.ts'
import { atLeast } from '../statistics/distributions/binomial.ts'
import { formatCount } from '../metrics/format.ts'
import { instanceNames, instancesOf } from './instance-names.ts'
import type { LatenessBound, Medians } from './lateness-bound.ts'
import { latenessBound, REQUESTS, yardsticksOf } from './lateness-bound.ts'
import type { JudgedPlan } from './lateness-doubt.ts'
import { thresholdsInDoubt } from './lateness-doubt.ts'
import type { InstanceObservations, Measurable, Observations } from '../observations.ts'
import type { PlanDocument } from '../../scenario/plan.schema.ts'
import type { Threshold } from '../../scenario/plan.ts'
import { rankOf } from '../statistics/quantiles.ts'
import type { Sample } from '../statistics/sample.ts'
import type { TrustCheck } from './trust-check.ts'
import type { RunFinding } from '../findings-and-reasons.ts'
import { findingOf } from '../findings-and-reasons.ts'

/**
 * This many late requests prove nothing yet, however few there are in total: the first ones pay for
 * a cold start.
 */
const FEWEST_LATE = 3
const LATE_SHARE = 0.01
const SIGNIFICANCE = 0.05

/** With the thresholds that lateness could have changed: they alone make the bound strict. */
export interface LatenessPlan extends PlanDocument {
  inDoubt: readonly Threshold[]
}

/**
 * The 99th percentile against its bound. It fails if so many requests exceed the bound that fewer
 * than one run in twenty with 1 % of late requests would show as many (a one-sided binomial test):
 * in twenty requests, a single late one is the 99th percentile. With n instances, each is tested
 * separately, at a twentieth divided by n (Bonferroni): a single late instance would be hidden in
 * the percentile of all.
 */
export function checkLateness(observations: Observations, plan: LatenessPlan): TrustCheck {
  const { micros: bound, text } = boundOf(observations, plan)
  const { lateness, instances } = observations
  const findings = {
    bound,
    all: p99Of(lateness),
    together: isLate(lateness, bound, SIGNIFICANCE),
    late: instances.length > 1 ? lateOnes(instances, bound) : [],
    worst: instances.length > 1 ? worstOf(instances) : null,
    of: instancesOf(observations.runs),
  }
  const failed = findings.together || findings.late.length > 0
  return {
    check: {
      name: 'lateness',
      measured: measured(findings),
      bound: text,
      meaning:
        'p99 of the time between intended and actual sending: caused by the generator, ' +
        'never by the target',
    },
    state: findings.all === null ? 'skipped' : failed ? 'failed' : 'ok',
    reason: {
      code: 'lateness',
      message: `${accusation(findings)}, bound ${text}`,
      remedy:
        'lower the rate, or run the generator on a separate machine; if this lateness ' +
        'does not matter, raise the bound in the ' +
        `scenario: validity: { lateness: '${roomFor(findings)}' }`,
    },
  }
}

/** Valid, but more than the times of single requests allow: these contain the lateness. */
export function latenessFindings(observations: Observations, plan: LatenessPlan): RunFinding[] {
  const p99 = p99Of(observations.lateness)
  const { micros: bound } = boundOf(observations, plan)
  const requests = latenessBound(plan.validity, REQUESTS, mediansOf(observations))
  if (p99 === null || p99 <= requests.micros || p99 > bound) return []
  const message =
    `requests were sent up to ${formatDuration(p99)} late (p99): little compared ` +
    'with executions, but much compared with single requests; ' +
    'use their service times, not their response times'
  return [findingOf('late-for-requests', message)]
}

/**
 * The bound that the requests of a run in progress exceed, by the rule that makes a run INVALID,
 * over all instances together; null while they keep it.
 */
export function exceededSoFar(observations: Measurable, plan: JudgedPlan): Micros | null {
  const { lateness } = observations
  if ((p99Of(lateness) ?? 0) <= plan.validity.latenessP99Micros) return null
  const inDoubt = thresholdsInDoubt(plan, observations)
  const { micros } = boundOf(observations, { ...plan, inDoubt })
  return isLate(lateness, micros, SIGNIFICANCE) ? micros : null
}

type Timed = Pick<Measurable, 'requests' | 'window'>

function boundOf(
  observations: Timed,
  { validity, inDoubt }: Pick<LatenessPlan, 'validity' | 'inDoubt'>,
): LatenessBound {
  const yardsticks = yardsticksOf({ thresholds: inDoubt })
  return latenessBound(validity, yardsticks, mediansOf(observations))
}

/** The service time of requests: the response time contains the lateness itself. */
function mediansOf({ requests, window }: Timed): Medians {
  return {
    kickoff: medianOf(requests.kickoff.service.ended),
    status: medianOf(requests.status.service.ended),
    execution: medianOf(window.completed),
    detectionDelay: medianOf(window.detection.ended),
  }
}

function medianOf(sample: Sample): Micros | null {
  return sample.n === 0 ? null : sample.atRank(rankOf(sample.n, 0.5))
}

/** Null if nothing was sent. */
export function p99Of(lateness: Sample): Micros | null {
  return lateness.n === 0 ? null : lateness.atRank(rankOf(lateness.n, 0.99))
}

interface Findings {
  bound: Micros
  /** p99 over all requests. */
  all: Micros | null
  /** Late over all requests together. */
  together: boolean
  /** The late instances, and the one with the largest p99; for runs of several instances. */
  late: readonly Late[]
  worst: Late | null
  of: number
}

interface Late {
  instance: number
  p99: Micros
}

function lateOnes(instances: readonly InstanceObservations[], bound: Micros): Late[] {
  const significance = SIGNIFICANCE / instances.length
  return instances.filter(({ lateness }) => isLate(lateness, bound, significance)).flatMap(lateOf)
}

function worstOf(instances: readonly InstanceObservations[]): Late | null {
  return worst(instances.flatMap(lateOf))
}

function lateOf({ instance, lateness }: InstanceObservations): Late[] {
  const p99 = p99Of(lateness)
  return p99 === null ? [] : [{ instance, p99 }]
}

function worst(all: readonly Late[]): Late | null {
  return all.reduce<Late | null>(
    (most, each) => (most === null || each.p99 > most.p99 ? each : most),
    null,
  )
}

function isLate(lateness: Sample, bound: Micros, significance: number): boolean {
  return areTooMany(laterThan(lateness, bound), lateness.n, significance)
}

/** Whether more of `n` requests were late than chance would produce with a p99 within the bound. */
function areTooMany(late: number, n: number, significance = SIGNIFICANCE): boolean {
  return late >= FEWEST_LATE && atLeast(late, n, LATE_SHARE) < significance
}

function laterThan(sample: Sample, bound: Micros): number {
  return sample.buckets().reduce((sum, { value, count }) => sum + (value > bound ? count : 0), 0)
}

/** `50ms` for 23 ms: the next of 1, 2 and 5 times a power of ten. */
function roomFor({ all, late }: Findings): string {
  const ms = (worst(late)?.p99 ?? all ?? 0) / MICROS_PER_MS
  const power = 10 ** Math.floor(Math.log10(Math.max(1, ms)))
  const step = [1, 2, 5].find((each) => each * power > ms) ?? 10
  return `${step * power}ms`
}

/**
 * Formats the measured lateness: `0.61 ms`; with several instances,
 * `38.0 ms in instance 3, the worst of 10; 2 late`.
 */
function measured({ all, late, worst: most, of }: Findings): string {
  if (all === null) return 'nothing sent'
  if (most === null) return formatDuration(all)
  const count = late.length === 0 ? '' : `; ${formatCount(late.length)} late`
  return (
    `${formatDuration(most.p99)} in instance ${most.instance}, the worst of ` +
    `${formatCount(of)}${count}`
  )
}

function accusation({ all, late, of }: Findings): string {
  const most = worst(late)
  if (most === null) return `the generator was late: p99 ${formatDuration(all ?? 0)}`
  const names = instanceNames(
    late.map(({ instance }) => instance),
    of,
  )
  return late.length === 1
    ? `${names} was late: p99 ${formatDuration(most.p99)}`
    : `${names} were late: p99 ${formatDuration(most.p99)} in instance ${most.instance}`
}
