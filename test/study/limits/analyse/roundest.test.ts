import { expect, test } from 'vitest'
import { roundestIn } from '../../../../src/study/limits/analyse/operation.ts'

test.each([
  [{ value: 60_300, low: 59_900, high: 60_600 }, 60_000],
  [{ value: 5.13, low: 4.99, high: 5.27 }, 5],
  [{ value: 12_310, low: 12_280, high: 12_340 }, 12_300],
  [{ value: 904_000, low: 880_000, high: 930_000 }, 900_000],
  [{ value: 0.4567, low: 0.45665, high: 0.45674 }, 0.4567],
  [{ value: 3, low: 3, high: 3 }, 3],
])('the roundest number in %o is %d', (estimate, rounded) => {
  expect(roundestIn(estimate)).toBe(rounded)
})
