/** A rate of kickoffs in words. */
import { formatCount } from '../../../analysis/metrics/format.ts'
import { threeDigits } from '../../../base/units.ts'

/** No more digits than an interval has. */
export function rateWords(value: number): string {
  return value >= 100 ? formatCount(Math.round(value)) : threeDigits(value)
}
