import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { HashedNumbers } from '../../../src/base/collections/hashed-numbers.ts'
import { areExperimentsRun } from '../../experiments.ts'

/** Often the same, often at the same place. */
const hash = fc.oneof(
  fc.nat({ max: 50 }),
  fc.nat({ max: 2 ** 31 - 1 }).map((high) => high * 2 ** 21 + (high % 7)),
  fc.constant(2 ** 53 - 1),
)

test('keeps the first number of each hash, as a map does, while it grows and when it forgets', () => {
  const entries = fc.array(fc.tuple(hash, fc.nat()), { maxLength: 2_000, size: 'max' })
  fc.assert(
    fc.property(entries, fc.integer({ min: 0, max: 2 ** 53 - 1 }), (list, limit) => {
      const numbers = new HashedNumbers()
      const expected = new Map<number, number>()
      for (const [key, value] of list) {
        expect(numbers.getOrSet(key, value)).toBe(expected.get(key))
        if (!expected.has(key)) expected.set(key, value)
      }
      expect(numbers.size).toBe(expected.size)
      numbers.keepBelow(limit)
      const kept = [...expected].filter(([key]) => key < limit)
      expect(numbers.size).toBe(kept.length)
      for (const [key, value] of kept) expect(numbers.getOrSet(key, -1)).toBe(value)
    }),
    { seed: 1, numRuns: areExperimentsRun ? 100 : 20 },
  )
})
