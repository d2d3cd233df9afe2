import { expect, test } from 'vitest'
import { shareInterval } from '../../../src/analysis/statistics/shares.ts'

test.each([
  [0, 10, 0, 0.2775],
  [5, 10, 0.2366, 0.7634],
  [10, 10, 0.7225, 1],
  [8, 360, 0.0113, 0.0432],
])('%d of %d lies between %d and %d', (count, n, low, high) => {
  const interval = shareInterval(count, n)
  expect(interval?.low).toBeCloseTo(low, 4)
  expect(interval?.high).toBeCloseTo(high, 4)
})

test('nothing of nothing has no interval', () => {
  expect(shareInterval(0, 0)).toBeNull()
})
