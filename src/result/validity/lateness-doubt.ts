/** Which thresholds the lateness of the generator could have changed. */
import { rateShapeOf } from '../../scenario/arrivals/index.ts'
import type { PlannedArrivals } from '../../scenario/arrivals/index.ts'
import type { Plan, Threshold } from '../../scenario/plan.ts'
import { parseMetric } from '../../scenario/thresholds/metrics/index.ts'
import { countAgainst } from '../verdict/bound-count.ts'
import { judge } from '../verdict/judge.ts'
import { measure } from '../metrics/measure.ts'
import type { Measurable } from '../observations.ts'

/** A plan, or what is stored of it. */
export interface JudgedPlan extends Pick<Plan, 'thresholds' | 'validity'> {
  arrivals: PlannedArrivals
}

/** An execution contains the lateness of its kickoff and that of the poll that saw its end. */
const PARTS = 2

/**
 * Lateness adds to a time that counts from when a request was intended, and never shortens it. A
 * threshold is in doubt only if its status would differ with all lateness taken off: a p95 of 60 ms
 * that contains it is below 500 ms all the more. Taking the greatest lateness off every time is the
 * same as adding it to the bound.
 */
export function thresholdsInDoubt(
  { thresholds, arrivals }: Pick<JudgedPlan, 'thresholds' | 'arrivals'>,
  observations: Measurable,
): Threshold[] {
  const rate = rateShapeOf(arrivals)
  const most = PARTS * (observations.lateness.max ?? 0)
  const statusAt = (threshold: Threshold) => {
    const measured = measure(threshold.metric, observations)
    return judge(threshold, measured, countAgainst(threshold, observations, rate)).status
  }
  return thresholds.filter(
    (threshold) =>
      containsLateness(threshold.metric) &&
      statusAt(threshold) !== statusAt({ ...threshold, bound: threshold.bound + most }),
  )
}

/** Whether a time counts from when a request was intended, not from when it was sent. */
function containsLateness(metric: string): boolean {
  const reference = parseMetric(metric)
  switch (reference?.kind) {
    case 'kickoffResponse':
    case 'execution':
    case 'completedExecution':
    case 'detectionDelay':
      return true
    case 'request':
      return reference.which === 'response' || reference.which === 'attempt'
    default:
      return false
  }
}
