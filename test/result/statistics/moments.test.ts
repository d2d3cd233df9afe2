/** The mean and the standard deviation, against sums that are known by hand. */
import { expect, test } from 'vitest'
import { deviationOf, meanOf } from '../../../src/result/statistics/moments.ts'

test('are those of a sample that is known by hand', () => {
  const values = [2, 4, 4, 4, 5, 5, 7, 9]
  expect(meanOf(values)).toBe(5)
  // Squares sum to 32, over one less than the number of values.
  expect(deviationOf(values)).toBeCloseTo(Math.sqrt(32 / 7), 12)
  expect(deviationOf(Float64Array.from(values))).toBe(deviationOf(values))
})

test('a single value has no deviation, and nothing has no mean', () => {
  expect(deviationOf([3])).toBe(0)
  expect(deviationOf([])).toBe(0)
  expect(meanOf([])).toBeNaN()
})
