/** Why a threshold was missed, is undecided or could not be measured, in words. */
import { z } from 'zod'
import { unreachable } from '../../base/assert.ts'
import { formatCount, plural } from '../../base/numbers.ts'
import { familyOf, parseMetric } from '../../scenario/thresholds/metrics.ts'
import type { ShapeFacts } from '../coded.ts'
import { reason } from '../coded.ts'
import {
  boundText,
  formatMeasured,
  formatMeasuredInterval,
  isTooFew,
} from '../metrics/sentences.ts'
import type { Doubt } from '../shapes.ts'
import { threshold } from '../shapes.ts'

const judged = threshold.pick({
  metric: true,
  text: true,
  operator: true,
  bound: true,
  status: true,
  doubt: true,
  measured: true,
  hint: true,
}).shape

export const THRESHOLD_REASONS = {
  threshold: reason(
    { ...judged, isEarly: z.boolean().describe('It stopped the run early') },
    ({ isEarly, ...result }) => {
      const { metric, status } = result
      const found =
        isEarly && status !== 'missed'
          ? `${metric} ${boundText(result)} could no longer be met`
          : `${metric} is ${formatMeasured(result)}, bound ${boundText(result)}`
      return isEarly ? `${found}, and it stopped the run early` : found
    },
    ({ hint }) => hint ?? '',
  ),
  undecided: reason(
    judged,
    (result) => `${result.metric} ${boundText(result)} is undecided: ${whyOf(result)}`,
    ({ hint }) => hint ?? '',
  ),
  unmeasurable: reason(
    judged,
    ({ metric }) => `${metric} could not be measured`,
    ({ hint }) => hint ?? '',
  ),
}

/** The interval that holds the bound, or what leaves it undecided although it does not. */
function whyOf(result: ShapeFacts<typeof judged>): string {
  const { metric, doubt, measured } = result
  const words = doubt === null ? null : doubtWords(metric, doubt, measured.n)
  const interval = words === null ? formatMeasuredInterval(result) : null
  const parts = [
    isTooFew(measured) && words !== null ? null : formatMeasured(result),
    interval === null ? null : `95 % interval ${interval}`,
    words,
  ]
  return parts.filter((part) => part !== null).join(', ')
}

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
      return `${independent}, because the ${plural(n, noun)} depend on each other`
    case 'load':
      return needed === null
        ? 'more executions arrive than the crew can complete: waiting times grow throughout the run'
        : `${formatCount(have ?? 0)} of the ${formatCount(needed)} executions that this load needs`
    case 'open':
      return `${part} have not ended yet`
    case 'paused':
      return `${part} still waited for a person at the deadline`
    case 'varied':
      return 'some took more than half the bound, and under a load that varies by plan this may be chance'
    case 'hidden':
      return isOfRequests(metric)
        ? 'hidden by requests that timed out'
        : 'hidden by executions that did not end'
    case 'unreported': {
      const why = `report no tokens${isCost(metric) ? ', or have no price' : ''}`
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
  const reference = parseMetric(metric)
  return reference === undefined ? 'execution' : (familyOf(reference).observation ?? 'execution')
}

function isCost(metric: string): boolean {
  return metric.startsWith('cost.')
}

/** Whether executions that report no tokens hide the value. */
export function isOfUsage(metric: string): boolean {
  return /^(?:tokens|cost)\./.test(metric)
}

/** Whether censored requests, rather than executions, hide the value. */
export function isOfRequests(metric: string): boolean {
  const kind = parseMetric(metric)?.kind
  return kind === 'request' || kind === 'kickoffResponse'
}
