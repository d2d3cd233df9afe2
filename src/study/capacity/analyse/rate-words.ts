/** Formats a rate of kickoffs. */
import { formatCount } from '../../../result/metrics/format.ts'
import { threeDigits } from '../../../base/units.ts'

/** Formats a rate with no more digits than an interval has. */
export function rateWords(value: number): string {
  return value >= 100 ? formatCount(Math.round(value)) : threeDigits(value)
}
