/** Why a threshold is undecided, in words. */
import { unreachable } from '../../base/assert.ts'
import { formatCount } from '../../base/numbers.ts'
import type { MetricFamily } from '../../scenario/thresholds/families.ts'
import { familyNamed, parseMetric } from '../../scenario/thresholds/metrics.ts'
import type { Doubt } from '../document-parts.schema.ts'

/** The reason in words; null where the interval that is shown says it. `n`: all observations. */
export function doubtWords(
  metric: string,
  { kind, have, needed }: Doubt,
  n: number,
): string | null {
  const noun = countedNoun(metric)
  const part = `${formatCount(have ?? 0)} of ${formatCount(n)}`
  const independent = `${formatCount(have ?? 0)} of ${formatCount(needed ?? 0)} independent ${noun}s`
  switch (kind) {
    case 'interval':
      return null
    case 'few':
      return independent
    case 'dependent':
      return `${independent}, because the ${formatCount(n)} depend on each other`
    case 'load':
      return needed === null
        ? 'more executions arrive than the crew can complete'
        : `${formatCount(have ?? 0)} of the ${formatCount(needed)} executions that this load needs`
    case 'open':
      return `${part} have not ended yet`
    case 'paused':
      return `${part} still waited for a person at the deadline`
    case 'varied':
      return 'some took over half the bound, perhaps because the load varies'
    case 'hidden':
      return isOfRequests(metric)
        ? 'hidden by requests that timed out'
        : 'hidden by executions that did not end'
    case 'unreported': {
      const why = `report no tokens${needsOf(metric) === 'prices' ? ', or have no price' : ''}`
      return have === null
        ? `some executions ${why}, so only a lower bound is known`
        : `${part} ${why}`
    }
    default:
      return unreachable(kind)
  }
}

/** What one more observation of this metric is. */
export function countedNoun(metric: string): string {
  return familyNamed(metric)?.observation ?? 'execution'
}

/** Whether executions that report no tokens hide the value. */
export function isOfUsage(metric: string): boolean {
  const needs = needsOf(metric)
  return needs === 'tokens' || needs === 'prices'
}

function needsOf(metric: string): MetricFamily['needs'] | undefined {
  return familyNamed(metric)?.needs
}

/** Whether censored requests, rather than executions, hide the value. */
export function isOfRequests(metric: string): boolean {
  const kind = parseMetric(metric)?.kind
  return kind === 'request' || kind === 'kickoffResponse'
}
