import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Occupancy } from '../../../src/result/statistics/occupancy.ts'

test('a span that ends makes room before the next one begins', () => {
  const busy = new Occupancy([
    [0, 10],
    [5, 10],
    [10, 20],
  ])
  expect([-1, 0, 5, 9, 10, 19, 20].map((at) => busy.at(at))).toEqual([0, 1, 2, 2, 1, 1, 0])
  expect(busy.most).toBe(2)
})

test('without spans nothing is covered', () => {
  const none = new Occupancy([])
  expect(none.at(0)).toBe(0)
  expect(none.most).toBe(0)
})

test('it counts what a look at every span counts', () => {
  const span = fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 10 }))
  fc.assert(
    fc.property(fc.array(span, { maxLength: 40 }), (given) => {
      const spans = given.map(([from, length]) => [from, from + length] as const)
      const moments = Array.from({ length: 42 }, (_, time) => time)
      const covered = moments.map(
        (time) => spans.filter(([from, to]) => from <= time && time < to).length,
      )
      const busy = new Occupancy(spans)
      expect(moments.map((time) => busy.at(time))).toEqual(covered)
      expect(busy.most).toBe(Math.max(...covered))
      const ends = moments.map((from) => Math.max(...covered.slice(from, from + 4)))
      expect(moments.map((from) => busy.mostIn(from, from + 3))).toEqual(ends)
    }),
  )
})
