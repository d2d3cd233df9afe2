/** What a plan cannot show although it is no mistake: said before the run, not after it. */
import { threeDigits } from '../units.ts'
import { describe } from './arrivals/index.ts'
import type { MetricReference } from './metrics.ts'
import { parseMetric } from './metrics.ts'
import type { Plan } from './plan.ts'

const CONFIDENCE = 0.95

/** One sentence for each threshold on a quantile of more executions than the run will have. */
export function planNotes(plan: Plan): string[] {
  const expected = measuredArrivals(plan)
  if (expected === null) return []
  return plan.thresholds.flatMap(({ metric }) => {
    const reference = parseMetric(metric)
    const q = reference === undefined ? null : executionQuantile(reference)
    const needed = q === null ? 0 : samplesNeeded(q)
    if (needed <= expected) return []
    const have = expected < 10 ? threeDigits(expected) : String(Math.round(expected))
    return [
      `${metric} needs ${needed} executions for a 95 % interval and this run has about ${have}: ` +
        'expect "too few", or run longer',
    ]
  })
}

/**
 * Smallest sample whose order statistics enclose the `q` quantile with 95 % confidence: the least n with q^n + (1 - q)^n <= 0.05. Finite
 * from n = 6 at p50, 29 at p90, 59 at p95, 299 at p99, 2,995 at p99.9.
 */
export function samplesNeeded(q: number): number {
  const outer = Math.max(q, 1 - q)
  let n = Math.ceil(Math.log(1 - CONFIDENCE) / Math.log(outer))
  while (q ** n + (1 - q) ** n > 1 - CONFIDENCE) n++
  return n
}

/** The mean number of arrivals after the warm-up; null where the target decides it. */
function measuredArrivals({ arrivals, warmUpMicros }: Plan): number | null {
  if (arrivals.kind === 'replay') {
    return arrivals.offsetsMicros.filter((offset) => offset >= warmUpMicros).length
  }
  const { arrivals: total, durationMicros } = describe(arrivals)
  if (total === null || arrivals.kind === 'closed') return total
  return total * (1 - warmUpMicros / durationMicros)
}

/** Of a metric with one sample an execution; null for any other. */
function executionQuantile(reference: MetricReference): number | null {
  const single =
    reference.kind === 'execution' ||
    reference.kind === 'completedExecution' ||
    reference.kind === 'detectionDelay' ||
    (reference.kind === 'request' && reference.operation === 'kickoff')
  return single && reference.statistic.kind === 'quantile' ? reference.statistic.q : null
}
