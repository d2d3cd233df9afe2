/** Whether the generator was late: judged over all requests, and over those of each instance. */
import type { Micros } from '../../base/units.ts'
import { MICROS_PER_MS, MICROS_PER_SECOND } from '../../base/units.ts'
import { atLeast } from '../statistics/beta.ts'
import type { GeneratorCheck, Yardstick } from '../document.ts'
import { instancesOf, p99Of } from '../instances.ts'
import type { InstanceFigure, ValidityCheck } from './check.ts'
import { validityCheck, worstIn, worstOf } from './check.ts'
import type { Measurable, Observations } from '../observations.ts'
import type { InstanceTally } from '../counting/tallies/instances.ts'
import type { PlanAsRead, Threshold, ValidityPlan } from '../../scenario/plan.ts'
import { quantileIn } from '../statistics/quantiles.ts'
import type { Sample } from '../statistics/sample.ts'
import { sidesOf, uncensored } from '../statistics/sample.ts'
import { reasonOf } from '../sentence-tables.ts'
import { someOf } from '../sentences/instances.ts'
import { REASONS } from '../sentences/reasons.ts'
import { metricNamed } from '../../scenario/thresholds/metrics.ts'

/**
 * A generator that is a second late does not follow the schedule, however long the executions are.
 */
const LATE_AT_MOST_MICROS = MICROS_PER_SECOND

/** Medians of the measured window; null if not measured. */
export type Medians = Record<Yardstick, Micros | null>

interface LatenessBound extends Pick<GeneratorCheck, 'basis'> {
  micros: Micros
}

/** The times of single requests in the report. */
const REQUESTS: readonly Yardstick[] = ['kickoff', 'status']

/** The times that the thresholds bound; executions if they bound none. */
export function yardsticksOf({
  thresholds,
}: {
  thresholds: readonly Threshold[]
}): readonly Yardstick[] {
  const judged = new Set(thresholds.flatMap(({ metric }) => yardstickOf(metric) ?? []))
  return judged.size === 0 ? ['execution'] : [...judged]
}

/**
 * Lateness adds to a time that counts from when a request was intended. The bound is a share of the
 * shortest time on which a threshold is judged that lateness could have changed: the median request
 * for kickoffs or polls, the median detection delay, the median execution. Without such a threshold
 * it is the median execution: 23 ms matter little for executions of 139 s, and much for kickoffs of
 * 30 ms. The share (5 % by default) moves a quantile by no more than the tolerance of
 * Little's law and of the comparison of engines.
 *
 * The absolute bound applies if it is larger, or if a time was not measured. A bound set by the
 * scenario applies alone: its share is 0.
 */
export function latenessBound(
  validity: Pick<ValidityPlan, 'latenessP99Micros' | 'latenessShare'>,
  yardsticks: readonly Yardstick[],
  medians: Medians,
): LatenessBound {
  const { latenessP99Micros: least, latenessShare: share } = validity
  const shortest = yardsticks
    .map((name) => ({ name, micros: medians[name] ?? 0 }))
    .reduce((a, b) => (b.micros < a.micros ? b : a))
  const relative = Math.round(share * shortest.micros)
  if (relative <= least) return { micros: least }
  const micros = Math.max(least, Math.min(relative, LATE_AT_MOST_MICROS))
  return { micros, basis: { share, of: shortest.name, isCapped: micros < relative } }
}

export function yardstickOf(metric: string): Yardstick | null {
  const reference = metricNamed(metric)
  switch (reference.kind) {
    case 'kickoffResponse':
      return 'kickoff'
    case 'request':
      return reference.operation === 'inputs' ? null : reference.operation
    case 'detectionDelay':
      return 'detectionDelay'
    case 'execution':
    case 'completedExecution':
      return 'execution'
    default:
      return null
  }
}

/**
 * This many late requests prove nothing yet, however few there are in total: the first ones pay for
 * a cold start.
 */
const FEWEST_LATE = 3
const LATE_SHARE = 0.01
const SIGNIFICANCE = 0.05

/**
 * The 99th percentile against its bound. It fails if so many requests exceed the bound that fewer
 * than one run in twenty with 1 % of late requests would show as many (a one-sided binomial test):
 * in twenty requests, a single late one is the 99th percentile. With n instances, each is tested
 * separately, at a twentieth divided by n (Bonferroni): a single late instance would be hidden in
 * the percentile of all. `inDoubt`: the thresholds that lateness could have changed, which alone
 * make the bound strict.
 */
export function checkLateness(
  observations: Observations,
  { validity }: PlanAsRead,
  inDoubt: readonly Threshold[],
): ValidityCheck {
  const { micros: bound, basis } = boundOf(observations, validity, inDoubt)
  const { lateness, runs } = observations
  const of = instancesOf(runs)
  const instances = observations.instances.length > 1 ? observations.instances : []
  const late = instances.filter((each) =>
    isLate(each.lateness, bound, SIGNIFICANCE / instances.length),
  )
  const all = p99Of(lateness)
  const worst = worstOf(p99s(instances))
  const p99 = worstOf(p99s(late))?.value ?? all ?? 0
  const boundMs = bound / MICROS_PER_MS
  return validityCheck(
    {
      name: 'lateness',
      unit: 'ms',
      measured: all === null ? null : (worst?.value ?? all) / MICROS_PER_MS,
      bound: boundMs,
      ok: late.length === 0 && !isLate(lateness, bound, SIGNIFICANCE),
      ...(all === null ? { why: 'nothing-sent' } : worstIn(worst, of, late.length)),
      ...(basis && { basis }),
    },
    reasonOf(REASONS, 'lateness', {
      p99Ms: p99 / MICROS_PER_MS,
      boundMs,
      basis: basis ?? null,
      late: someOf(late, of),
    }),
  )
}

function p99s(instances: readonly InstanceTally[]): InstanceFigure[] {
  return instances.flatMap(({ instance, lateness }) => {
    const value = p99Of(lateness)
    return value === null ? [] : [{ instance, value }]
  })
}

/** Valid, but more than the times of single requests allow: these contain the lateness. */
export function latenessOfRequests(
  observations: Observations,
  { validity }: PlanAsRead,
  inDoubt: readonly Threshold[],
) {
  const p99 = p99Of(observations.lateness)
  const { micros: bound } = boundOf(observations, validity, inDoubt)
  const requests = latenessBound(validity, REQUESTS, mediansOf(observations))
  if (p99 === null || p99 <= requests.micros || p99 > bound) return null
  return { p99Ms: p99 / MICROS_PER_MS }
}

/**
 * The bound that the requests of a run in progress exceed, by the rule that makes a run INVALID,
 * over all instances together; null while they keep it. `inDoubt` is asked only once they are late.
 */
export function exceededSoFar(
  observations: Measurable,
  { validity }: PlanAsRead,
  inDoubt: () => readonly Threshold[],
): Micros | null {
  const { lateness } = observations
  if ((p99Of(lateness) ?? 0) <= validity.latenessP99Micros) return null
  const { micros } = boundOf(observations, validity, inDoubt())
  return isLate(lateness, micros, SIGNIFICANCE) ? micros : null
}

type Timed = Pick<Measurable, 'requests' | 'window'>

function boundOf(
  observations: Timed,
  validity: ValidityPlan,
  inDoubt: readonly Threshold[],
): LatenessBound {
  const yardsticks = yardsticksOf({ thresholds: inDoubt })
  return latenessBound(validity, yardsticks, mediansOf(observations))
}

/** The service time of requests: the response time contains the lateness itself. */
function mediansOf({ requests, window }: Timed): Medians {
  return {
    kickoff: quantileIn(requests.kickoff.service.ended, 0.5),
    status: quantileIn(requests.status.service.ended, 0.5),
    execution: quantileIn(window.completed, 0.5),
    detectionDelay: quantileIn(window.detection.ended, 0.5),
  }
}

/** Whether more requests were late than chance would produce with a p99 within the bound. */
function isLate(lateness: Sample, bound: Micros, significance: number): boolean {
  const { above } = sidesOf(uncensored(lateness), bound)
  return above >= FEWEST_LATE && atLeast(above, lateness.n, LATE_SHARE) < significance
}
