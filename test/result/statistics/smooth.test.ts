/** A distribution as a sample shows it. */
import { expect, test } from 'vitest'
import { createRandom } from '../../../src/base/random.ts'
import { Smooth } from '../../../src/result/statistics/smooth.ts'

const random = createRandom(4)
const logs = Float64Array.from({ length: 400 }, () => 3 + 0.5 * random.normal())
const smooth = new Smooth(logs, 0.1)

test('counts the values below, from none to all of them', () => {
  expect([smooth.below(0), smooth.below(6)]).toEqual([0, 400])
  for (const log of [2.2, 2.7, 3, 3.4, 4]) {
    const below = logs.filter((each) => each < log).length
    expect(Math.abs(smooth.below(log) - below)).toBeLessThan(0.05 * 400)
  }
})

test('is the sum of its kernels', () => {
  for (const [from, to] of [
    [2.5, 3],
    [2.9, 3.2],
    [3.5, 5],
  ] as const) {
    const kernels = logs.reduce((sum, log) => sum + smooth.ownBetween(log, from, to), 0)
    expect(smooth.below(to) - smooth.below(from)).toBeCloseTo(kernels, 0)
  }
})

test('finds where so many lie below', () => {
  for (const count of [40, 200, 370]) {
    expect(smooth.below(smooth.logAt(count, 1, 5))).toBeCloseTo(count, 0)
  }
})

test('a kernel has 68 % within its width', () => {
  expect(smooth.ownBetween(3, 2.9, 3.1)).toBeCloseTo(0.6827, 4)
  expect(smooth.ownBetween(3, 1, 5)).toBeCloseTo(1, 6)
})
