import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeyCounts } from '../../../../src/result/counting/sketch.ts'

test('counts as a map does, in rising order of the keys', () => {
  const entry = fc.tuple(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 1, max: 1_000 }))
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      const counts = new KeyCounts()
      const expected = new Map<number, number>()
      for (const [key, count] of entries) {
        counts.add(key, count)
        expected.set(key, (expected.get(key) ?? 0) + count)
      }
      expect(told(counts)).toEqual([...expected].toSorted(([a], [b]) => a - b))
    }),
    { seed: 1 },
  )
})

test('holds nothing once it is cleared, and counts again', () => {
  const counts = new KeyCounts()
  counts.add(70, 3)
  counts.clear()
  expect(told(counts)).toEqual([])
  counts.add(2, 1)
  expect(told(counts)).toEqual([[2, 1]])
})

function told(counts: KeyCounts): [number, number][] {
  const entries: [number, number][] = []
  counts.each((key, count) => entries.push([key, count]))
  return entries
}
