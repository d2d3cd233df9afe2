/**
 * Creates the named metrics in k6. This file is loaded only inside k6, in a script that was made to
 * measure.
 */
import { Counter, Rate, Trend } from 'k6/metrics'
import { unreachable } from '../../../base/assert.ts'
import type { ExecutionRecord } from '../../../execution/record/record.ts'
import type { K6MetricName } from './names.ts'
import { K6_METRICS } from './names.ts'
import { executionMetrics } from './samples.ts'

/** Called in k6's init context, the only place where metrics can be created. */
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
