import { expect, test } from 'vitest'
import type { Metric } from '../../../src/result/document.ts'
import { metricOf } from '../../support/ci/gates.ts'
import { rankShifts } from '../../../src/study/comparing/compare.ts'

const sideOf = (unit: Metric['unit'], values: readonly Metric['value'][]) =>
  values.map((value) => ({ it: metricOf(unit, value, 700) }))

test('a shift of times is a ratio, and one of shares a difference', () => {
  const times = rankShifts(sideOf('ms', [90, 100, 110, 120]), sideOf('ms', [180, 200, 220, 240]), [
    'it',
  ])
  expect(times).toEqual([
    {
      name: 'it',
      p: expect.closeTo(2 / 70, 10),
      change: expect.objectContaining({ ratio: expect.closeTo(2, 1) }),
    },
  ])
  const shares = sideOf('share', [0.01, 0.02, 0.03, 0.04])
  expect(rankShifts(shares, sideOf('share', [0.11, 0.12, 0.13, 0.14]), ['it'])[0]!.change).toEqual({
    difference: expect.closeTo(0.1, 10),
    low: expect.closeTo(0.07, 10),
    high: expect.closeTo(0.13, 10),
  })
})

test('a run that nobody ended ranks last, and leaves no shift', () => {
  const [found] = rankShifts(sideOf('ms', [1, 2, 3]), sideOf('ms', [4, 'never', 'never']), ['it'])
  expect(found).toEqual({ name: 'it', p: expect.closeTo(0.1, 10), change: null })
})

test('one run a side, and a metric that a side did not measure, have no ranks', () => {
  expect(rankShifts(sideOf('ms', [1]), sideOf('ms', [2, 3]), ['it', 'other'])).toEqual([])
  expect(rankShifts(sideOf('ms', [1, 2]), sideOf('ms', [null, null]), ['it'])).toEqual([])
})
