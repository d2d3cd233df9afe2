/**
 * Stops a run early when a threshold that asks for it is certain to be missed: no more kickoffs are
 * paid for a known verdict.
 */
import type { Measurable } from '../result/observations.ts'
import type { StopReason } from '../execution/record/reason.schema.ts'
import { estimateMetric } from '../result/metrics/estimate-metric.ts'
import { countAgainst, cannotBeMet } from '../result/verdict/bound-count.ts'
import { demandNone } from '../base/mistakes.ts'
import { createRandom } from '../base/random.ts'
import type { Recorder } from '../result/counting/recorder.ts'
import type { RateShape } from '../scenario/arrivals/index.ts'
import { createSchedule, rateShapeOf } from '../scenario/arrivals/index.ts'
import { metricNamed } from '../scenario/thresholds/metrics.ts'
import type { ArrivalPlan, Plan, PlanAsRead, Threshold } from '../scenario/plan.ts'
import type { Micros } from '../base/units.ts'
import { typedBound } from '../scenario/thresholds/bounds.ts'

/** A check costs too much for the real-time timer, which fires four times a second. */
const LOOK_EVERY = 8

/**
 * Returns a function to call a few times a second, which says why kickoffs should stop, or null. It
 * checks every second or two.
 */
export function earlyAbort(plan: Plan, recorder: Recorder): (now: Micros) => StopReason | null {
  const look = lostThreshold(plan, recorder)
  let asked = 0
  return (now) => (asked++ % LOOK_EVERY === 0 ? look(now) : null)
}

/** Returns a function that checks whenever it is called: why kickoffs should stop, or null. */
export function lostThreshold(plan: Plan, recorder: Recorder): (now: Micros) => StopReason | null {
  const watched = plan.thresholds.filter(({ abortEarly }) => abortEarly)
  const total = watched.length === 0 ? null : mostMeasured(plan)
  const rate = rateShapeOf(plan.arrivals)
  return (now) => {
    if (watched.length === 0 || total === null) return null
    const standing = { ...recorder.standing(), rate, total, now }
    const lost = watched.find((threshold) => isCertainToMiss(threshold, standing))
    if (lost === undefined) return null
    const { metric, operator, written } = lost
    return { code: 'threshold', metric, operator, written }
  }
}

/** A run so far. */
interface RunStanding extends ReturnType<Recorder['standing']> {
  rate: RateShape | null
  /** The most arrivals in the measured window. */
  total: number
  now: Micros
}

/** Whether the threshold will be missed, however the rest of the run turns out. */
export function isCertainToMiss(
  threshold: Threshold,
  { observations, rate, ...standing }: RunStanding,
): boolean {
  const independent = { ...observations, series: [] }
  const isLost = (counted: Measurable): boolean => {
    const count = countAgainst(threshold, counted, rate)
    const measured = estimateMetric(threshold.metric, independent)
    return cannotBeMet(threshold, { count, measured, ...standing })
  }
  // The dependence between arrivals takes long to compute, and can only make the verdict less
  // certain.
  return isLost(independent) && isLost(observations)
}

/**
 * `abortEarly` needs a metric that is decided execution by execution, and a number of arrivals that
 * is known in advance. Throws a UserError for each threshold without either.
 */
export function demandEarlyAbort(plan: Plan, source: string): void {
  const mistakes = plan.thresholds
    .filter(({ abortEarly }) => abortEarly)
    .flatMap((threshold) => {
      const problem = problemOf(threshold, plan)
      return problem === null ? [] : [{ source, path: `thresholds.${threshold.metric}`, problem }]
    })
  demandNone(mistakes)
}

/**
 * Instances that do not see each other's results cannot stop early. This is said when a script or a
 * manifest is made, not discovered on a bill.
 */
export function noEarlyAbortNotes({ thresholds }: Plan): string[] {
  return thresholds
    .filter(({ abortEarly }) => abortEarly)
    .map(
      ({ metric, ...bound }) =>
        `abortEarly of ${metric} ${typedBound(bound)} has no effect here, because no instance sees ` +
        'the results of the others. It is judged when the logs are merged, and a budget of ' +
        'kickoffs bounds the cost',
    )
}

function problemOf({ metric }: Threshold, plan: Plan): string | null {
  if (!isDecidedByExecution(metric)) {
    return (
      'abortEarly needs a metric that each execution decides for itself (execution.*, ' +
      'kickoff.response.*, detectionDelay.*, outcome.*, execution.failed, checks.*, contract.*)'
    )
  }
  if (mostMeasured(plan) !== null) return null
  return 'abortEarly needs a known number of arrivals: a schedule, iterations, or a budget of kickoffs'
}

function isDecidedByExecution(metric: string): boolean {
  const reference = metricNamed(metric)
  switch (reference.kind) {
    case 'execution':
    case 'completedExecution':
    case 'detectionDelay':
    case 'kickoffResponse':
      return reference.statistic.kind !== 'mean'
    case 'outcome':
    case 'unserved':
    case 'failedShare':
    case 'check':
    case 'contract':
      return true
    default:
      return false
  }
}

/** The maximum number of arrivals in the measured window; null when nothing bounds it. */
export function mostMeasured({ arrivals, warmUpMicros, budget, seed }: PlanAsRead): number | null {
  const scheduled =
    arrivals.kind === 'closed'
      ? arrivals.iterations
      : 'offsetsHash' in arrivals
        ? arrivals.arrivals
        : countedAfter(warmUpMicros, arrivals, seed)
  const bounds = [scheduled, budget.kickoffs].filter((bound) => bound !== null)
  return bounds.length === 0 ? null : Math.min(...bounds)
}

/** Counts by iterating the schedule once: a mean would not give certainty. */
function countedAfter(warmUpMicros: Micros, arrivals: ArrivalPlan, seed: number): number {
  const schedule = createSchedule({ arrivals }, createRandom(seed))
  let count = 0
  for (let next = schedule.next(); next !== null; next = schedule.next()) {
    if (next.intendedMicros >= warmUpMicros) count++
  }
  return count
}
