import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { HIGHEST_MICROS, Histogram } from '../../../src/result/counting/histogram.ts'

test('buckets hold what was recorded, across their edges and in great numbers', () => {
  const edges = [0, 1, 2_047, 2_048, 2_049, 4_095, 4_096, 2 ** 32 - 1, 2 ** 32, HIGHEST_MICROS]
  const any = fc.oneof(fc.integer({ min: 0, max: HIGHEST_MICROS }), fc.constantFrom(...edges))
  fc.assert(
    fc.property(fc.array(any, { minLength: 1 }), fc.nat({ max: 24 }), (list, doublings) => {
      const histogram = Histogram.of(list)
      for (let i = 0; i < doublings; i++) histogram.add(histogram)
      const [least, most] = [Math.min(...list), Math.max(...list)]
      const expected = new Map<number, number>()
      for (const value of list) {
        const width = value < 2_048 ? 1 : 2 ** (Math.floor(Math.log2(value)) - 10)
        const last = Math.floor(value / width) * width + width - 1
        const told = Math.min(Math.max(last, least), most)
        expected.set(told, (expected.get(told) ?? 0) + 2 ** doublings)
      }
      const sorted = [...expected].sort(([a], [b]) => a - b)
      expect(histogram.buckets()).toEqual(sorted.map(([value, count]) => ({ value, count })))
      let below = 0
      for (const [value, count] of sorted) {
        expect(histogram.atRank(below + 1)).toBe(value)
        below += count
        expect(histogram.atRank(below)).toBe(value)
      }
      expect(Histogram.decode(histogram.encode()).n).toBe(list.length * 2 ** doublings)
      histogram.destroy()
    }),
    { seed: 3, numRuns: 100 },
  )
})

test('added in any order the sum is the same', () => {
  const [a, b, c] = [[5, 70_000], [9_999_999], [1, 1, 123_456]].map((list) => Histogram.of(list))
  const left = Histogram.of([])
  const right = Histogram.of([])
  for (const part of [a!, b!, c!]) left.add(part)
  for (const part of [c!, a!, b!]) right.add(part)
  expect(left.encode()).toBe(right.encode())
  expect(left).toMatchObject({ n: 6, min: 1, max: 9_999_999, sum: right.sum })
  for (const histogram of [a!, b!, c!, left, right]) histogram.destroy()
})

test('what is out of range is clamped and counted, never thrown', () => {
  const histogram = Histogram.of([0, -5, HIGHEST_MICROS + 1, Number.NaN, Infinity, 1.4])
  expect(histogram).toMatchObject({ n: 4, clamped: 2, min: 0, max: HIGHEST_MICROS })
  histogram.destroy()
})

test('an empty histogram has no values, and encodes', () => {
  const histogram = new Histogram()
  expect(histogram).toMatchObject({ n: 0, min: null, max: null })
  expect(histogram.buckets()).toEqual([])
  expect(Histogram.decode(histogram.encode()).n).toBe(0)
})

test('values that repeat count as often as they came, whenever it is read', () => {
  const repeated = new Histogram()
  for (let i = 0; i < 3; i++) {
    for (const value of [0, 0, 0, 70, 70, 5]) repeated.record(value)
    expect(repeated.buckets().reduce((sum, { count }) => sum + count, 0)).toBe(repeated.n)
  }
  expect(repeated.buckets()).toEqual([
    { value: 0, count: 9 },
    { value: 5, count: 3 },
    { value: 70, count: 6 },
  ])
  expect([repeated.n, repeated.sum, repeated.min, repeated.max]).toEqual([18, 435, 0, 70])
  expect(Histogram.decode(repeated.encode()).buckets()).toEqual(repeated.buckets())
  repeated.destroy()
})
