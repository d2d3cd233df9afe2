/**
 * Creates the named metrics in k6. This file is loaded only inside k6, in a script that was made to
 * measure.
 */
import { Counter, Rate, Trend } from 'k6/metrics'
import type { ExecutionRecord } from '../../execution/record/record.ts'
import { K6_METRICS } from './metrics.ts'
import { executionMetrics } from './samples.ts'

/** Called in k6's init context, the only place where metrics can be created. */
export function k6Metrics(): (record: ExecutionRecord) => void {
  const made = new Map(
    Object.entries(K6_METRICS).map(([name, { kind }]) => [
      name,
      kind === 'trend' ? new Trend(name, true) : new (kind === 'rate' ? Rate : Counter)(name),
    ]),
  )
  return executionMetrics((metric, value, tags) => made.get(metric)!.add(value, tags))
}
