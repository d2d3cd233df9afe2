/** A rate in the smallest whole numbers, so that buckets compute exactly. */
import type { Rate } from '../../../src/base/units.ts'

/**
 * `0.5/s` is 1 in 2,000,000 us, `600/m` is 1 in 100,000 us. The count is above 0, with or without a
 * decimal fraction.
 */
export function reducedRate({ count, perMicros }: Rate): Rate {
  const [, decimals = ''] = String(count).split('.')
  const scale = 10 ** decimals.length
  const whole = Math.round(count * scale)
  const divisor = greatestCommonDivisor(whole, perMicros * scale)
  return { count: whole / divisor, perMicros: (perMicros * scale) / divisor }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
