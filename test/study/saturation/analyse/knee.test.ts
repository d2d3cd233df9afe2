import { expect, test } from 'vitest'
import type { SaturationVisit } from '../../../../src/study/saturation/document.ts'
import { halfSeconds, visit } from '../ladders.ts'
import { isSurelyBelow, kneeRange } from '../../../../src/study/saturation/analyse/shape.ts'

/** One rung 1, 2, 4 ... a line, and its throughput in each pass. */
function visits(...rungs: readonly (readonly number[])[]): SaturationVisit[] {
  return rungs.flatMap((rates, step) => rates.map((rate, at) => visit(2 ** step, rate, {}, at + 1)))
}

test.each([
  [
    'where 95 % are surely reached first',
    [
      [400, 410, 390],
      [800, 810, 790],
      [802, 808, 795],
    ],
    { from: 2, to: 2 },
  ],
  [
    'between the first rung that may and the first that surely does',
    [
      [400, 410, 390],
      [760, 810, 740],
      [802, 808, 795],
      [800, 806, 797],
    ],
    { from: 2, to: 4 },
  ],
  [
    'open upwards where no rung surely reaches the others',
    [
      [400, 410, 390],
      [700, 900, 800],
      [900, 700, 800],
    ],
    { from: 2, to: null },
  ],
  [
    'not moved by a machine that is half as fast in one pass as in another',
    [
      [400, 200, 600],
      [800, 400, 1_200],
      [802, 399, 1_198],
    ],
    { from: 2, to: 2 },
  ],
  [
    'at the first rung that may be best, although another one was by chance',
    [
      [760, 790, 770],
      [800, 700, 805],
      [820, 780, 760],
    ],
    { from: 1, to: null },
  ],
] as const)('the knee lies %s', (_, rungs, range) => {
  const ladder = rungs.map((_rung, step) => 2 ** step)
  expect(kneeRange(visits(...rungs), ladder)).toEqual(range)
})

test('of one pass it is as certain as the visits are within themselves', () => {
  const smooth = visits([400], [800], [800])
  expect(kneeRange(smooth, [1, 2, 4])).toEqual({ from: 2, to: 2 })
  const uneven = { slices: halfSeconds(700, 900, 700, 900, 700, 900, 700, 900, 700, 900) }
  const rough = [visit(1, 400), visit(2, 780, uneven), visit(4, 800, uneven)]
  expect(kneeRange(rough, [1, 2, 4])).toEqual({ from: 2, to: null })
})

test('rungs without a common pass cannot be compared', () => {
  const apart = [visit(1, 400, {}, 1), visit(1, 400, {}, 2), visit(2, 800, {}, 3)]
  expect(kneeRange(apart, [1, 2])).toEqual({ from: 1, to: null })
})

test('a rung is surely below another one by what they differ within each pass', () => {
  const drifting = visits([800, 400, 1_200], [700, 350, 1_000])
  expect(isSurelyBelow(drifting, 2, 1)).toBe(true)
  expect(isSurelyBelow(drifting, 1, 2)).toBe(false)
  expect(isSurelyBelow(visits([800, 400, 1_200], [700, 420, 1_100]), 2, 1)).toBe(false)
})
