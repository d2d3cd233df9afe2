import { expect, test } from 'vitest'
import { bestInterval } from '../../../src/analysis/metrics/polling.ts'

test('the best constant interval is the square root of 2 c E[D] / w', () => {
  expect(bestInterval(60_000_000, 1_000_000)).toBeCloseTo(10_954_451, 0)
})

test('no other interval is cheaper', () => {
  const duration = 100
  const price = 2
  const cost = (d: number) => d / 2 + price * (duration / d + 0.5)
  const best = bestInterval(duration, price)
  for (const factor of [0.5, 0.9, 1.1, 2]) {
    expect(cost(best * factor)).toBeGreaterThan(cost(best))
  }
})
