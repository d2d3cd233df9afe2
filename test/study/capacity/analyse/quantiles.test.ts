/** Samples in a few numbers. */
import { expect, test } from 'vitest'
import { byShare } from '../../../../src/study/capacity/analyse/learn/quantiles.ts'

test('two samples by share: the value that this share of each does not exceed', () => {
  const full = Array.from({ length: 100 }, (_, i) => (100 - i) * 1_000)
  const rows = byShare(full, [3_000, 1_000, 2_000])
  expect(rows.map(({ share }) => Math.round(100 * share))).toEqual(
    Array.from({ length: 19 }, (_, i) => 5 * (i + 1)),
  )
  expect(rows.map((row) => row.full)).toEqual(Array.from({ length: 19 }, (_, i) => 5 * (i + 1)))
  expect(rows[5]).toEqual({ share: 0.3, full: 30, idle: 1 })
  expect(rows[6]).toEqual({ share: 0.35, full: 35, idle: 2 })
  expect(rows[18]).toEqual({ share: 0.95, full: 95, idle: 3 })
})

test('nothing is told by share where one of the samples is empty', () => {
  expect(byShare([1], [])).toEqual([])
  expect(byShare([], [1])).toEqual([])
})
