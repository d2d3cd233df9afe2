/** The thresholds whose status the lateness of the generator could have changed. */
import type { PlanAsRead, Threshold } from '../../scenario/plan.ts'
import { rateShapeOf } from '../../scenario/arrivals/index.ts'
import { metricNamed } from '../../scenario/thresholds/metrics.ts'
import type { Measurable } from '../observations.ts'
import { estimateMetric } from '../metrics/estimate-metric.ts'
import { yardstickOf } from '../validity/lateness.ts'
import { countAgainst } from './bound-count.ts'
import { judge } from './judge.ts'

/** An execution contains the lateness of its kickoff and that of the poll that saw its end. */
const PARTS = 2

/**
 * Lateness adds to a time that counts from when a request was intended, and never shortens it. A
 * threshold is in doubt only if its status would differ with all lateness taken off: a p95 of 60 ms
 * that contains it is below 500 ms all the more. Taking the greatest lateness off every time is the
 * same as adding it to the bound.
 */
export function thresholdsInDoubt(
  { thresholds, arrivals }: PlanAsRead,
  observations: Measurable,
): Threshold[] {
  const rate = rateShapeOf(arrivals)
  const most = PARTS * (observations.lateness.max ?? 0)
  const statusAt = (threshold: Threshold) => {
    const measured = estimateMetric(threshold.metric, observations)
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
  const reference = metricNamed(metric)
  return reference.kind === 'request'
    ? reference.which === 'response' || reference.which === 'attempt'
    : yardstickOf(metric) !== null
}
