import { expect, test } from 'vitest'
import { compareMeans, studentP } from '../../../../src/result/statistics/comparing/two-means.ts'

test('the pooled t test of two samples of six agrees with published figures', () => {
  // Encyclopedia example of the unpaired test: t = 1.959, 10 degrees of freedom, p = 0.078.
  const first = [29.89, 29.93, 29.72, 29.98, 30.02, 29.98]
  const second = [30.02, 29.99, 30.11, 29.97, 30.01, 29.99]
  const found = compareMeans(first, second)!
  expect(found.degrees).toBe(10)
  expect(found.value).toBeCloseTo(0.095, 6)
  expect(found.value / found.error).toBeCloseTo(1.959, 3)
  expect(found.p).toBeCloseTo(0.0786, 4)
  expect(found.low).toBeLessThan(0)
})

test('tails of Student’s t stand in every table', () => {
  expect(studentP(2.228, 10)).toBeCloseTo(0.05, 4)
  expect(studentP(3.355, 8)).toBeCloseTo(0.01, 4)
  expect(studentP(-1.96, 1_000_000)).toBeCloseTo(0.05, 4)
})

test('one value a side, or none that differs, tells nothing of chance', () => {
  expect(compareMeans([1], [2, 3])).toBeNull()
  expect(compareMeans([2, 2], [3, 3])).toBeNull()
})
