/** What is kept of a sample that is too large. */
import { expect, test } from 'vitest'
import { thinned } from '../../../src/result/statistics/rising.ts'

test('a sample is thinned evenly, in its order, and a small one is kept', () => {
  const all = Array.from({ length: 1_000 }, (_, i) => i)
  expect(thinned(all, 4)).toEqual([125, 375, 625, 875])
  expect(thinned(all, 1_000)).toBe(all)
})
