/**
 * Makes the named metrics in k6. Only inside k6, in a script that was made to measure, is this file
 * loaded.
 */
import { Counter, Rate, Trend } from 'k6/metrics'
import { unreachable } from '../../../base/assert.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import type { K6MetricName } from './names.ts'
import { K6_METRICS } from './names.ts'
import { executionMetrics } from './samples.ts'

/** Called in k6's init context, where alone metrics can be made. */
export function k6Metrics(): (record: ExecutionRecord) => void {
  const pairs = Object.entries(K6_METRICS).map(([name, { kind }]) => [name, made(name, kind)])
  const metrics = Object.fromEntries(pairs) as Record<K6MetricName, ReturnType<typeof made>>
  return executionMetrics((metric, value, tags) => metrics[metric].add(value, tags))
}

function made(
  name: string,
  kind: (typeof K6_METRICS)[K6MetricName]['kind'],
): { add: (value: number, tags: Record<string, string>) => void } {
  switch (kind) {
    case 'trend':
      return new Trend(name, true)
    case 'counter':
      return new Counter(name)
    case 'rate':
      return new Rate(name)
    default:
      return unreachable(kind)
  }
}
