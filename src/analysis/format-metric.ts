/** A metric's value as people read it, for the sentences of the verdict and the findings. */
import { unreachable } from '../assert.ts'
import { MICROS_PER_MS, formatDuration, formatShare, threeDigits } from '../units.ts'
import type { Metric } from './document.ts'

/** `8.60 ms`, `2.2 %`, `12.1`; `over 241 s` where only a bound is known; `not measured`. */
export function formatMetric({ value, low, unit }: Metric): string {
  if (value !== null) return formatValue(value, unit)
  return low === null ? 'not measured' : `over ${formatValue(low, unit)}`
}

function formatValue(value: number, unit: Metric['unit']): string {
  switch (unit) {
    case 'ms':
      return formatDuration(value * MICROS_PER_MS)
    case 'share':
      return formatShare(value)
    case 'perSecond':
      return `${threeDigits(value)}/s`
    case 'count':
    case 'ratio':
      return Number.isInteger(value) ? String(value) : threeDigits(value)
    default:
      return unreachable(unit)
  }
}
