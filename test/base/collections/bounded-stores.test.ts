import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { BoundedByText, FirstOnes } from '../../../src/base/collections/bounded-stores.ts'

test('the first ones are kept, sorted, whatever the order', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer(), { maxLength: 60 }), fc.nat(10), (list, limit) => {
      const kept = new FirstOnes<number>(limit, (a, b) => a - b)
      for (const item of list) kept.offer(item)
      expect(kept.items).toEqual(list.toSorted((a, b) => a - b).slice(0, limit))
    }),
    { seed: 4, numRuns: 100 },
  )
})

test('of too many texts the same few are counted, each to the last, in any order', () => {
  const texts = Array.from({ length: 300 }, (_, i) => `text ${i % 50}`)
  const forth = counted(texts)
  expect(forth.size).toBe(8)
  expect([...forth.values()].every(({ count }) => count === 6)).toBe(true)
  expect(new Set(counted(texts.toReversed()).keys())).toEqual(new Set(forth.keys()))
})

function counted(list: readonly string[]): ReadonlyMap<string, { count: number }> {
  const kept = new BoundedByText<{ count: number }>(8)
  for (const text of list) {
    const entry = kept.at(text, () => ({ count: 0 }))
    if (entry !== undefined) entry.count++
  }
  return kept.values
}
