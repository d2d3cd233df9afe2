import { expect, test } from 'vitest'
import { createRandom } from '../../../../src/base/random.ts'
import {
  carryOverInflation,
  compareMeans,
} from '../../../../src/result/statistics/comparing/two-means.ts'

/** A series of which a part `r` of each deviation is carried over to the next value. */
function seriesOf(n: number, r: number, name: number): number[] {
  const random = createRandom(31).fork('series', name)
  let last = random.normal()
  return Array.from({ length: n }, () => {
    last = r * last + Math.sqrt(1 - r * r) * random.normal()
    return last
  })
}

test.each([
  [0, 1, 1.2],
  [0.5, 2.5, 3.5],
  [0.8, 6.5, 11],
])('long series that carry over %d are worth (1 - r) / (1 + r) of their length', (r, low, high) => {
  const found = carryOverInflation(seriesOf(4_000, r, 1), seriesOf(4_000, r, 2))
  // (1 + r) / (1 - r): 1, 3, 9.
  expect(found).toBeGreaterThanOrEqual(low)
  expect(found).toBeLessThan(high)
})

test('a few values are taken for such that carry over, by half where nothing speaks against it', () => {
  // Equal values: nothing is seen, so r = (2/6 * 4 + 6) / 16 = 0.458 by the bias and the prior.
  const r = (4 * (2 / 6) + 6) / 16
  const f = 1 + 2 * ((2 / 3) * r + (1 / 3) * r ** 2)
  expect(carryOverInflation([1, 1, 1], [2, 2, 2])).toBeCloseTo(f / ((3 - f) / 2), 12)
})

test('neighbours on one side of their mean widen the interval more than those that alternate', () => {
  const drifting = carryOverInflation([1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8])
  const alternating = carryOverInflation([1, 8, 2, 7, 3, 6, 4, 5], [1, 8, 2, 7, 3, 6, 4, 5])
  expect(drifting).toBeGreaterThan(3)
  expect(alternating).toBeLessThan(1.3)
  expect(alternating).toBeGreaterThanOrEqual(1)
})

test('the error of a difference grows with the root of the inflation', () => {
  const first = [1, 2, 4]
  const second = [3, 5, 6]
  const plain = compareMeans(first, second)!
  const inflated = compareMeans(first, second, { inflation: 4 })!
  expect(inflated.error).toBeCloseTo(2 * plain.error, 12)
  expect(inflated.value).toBe(plain.value)
  expect(inflated.p).toBeGreaterThan(plain.p)
})
