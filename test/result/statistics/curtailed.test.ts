import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ShareBound } from '../../../src/result/statistics/shares.ts'
import { shareInterval } from '../../../src/result/statistics/shares.ts'
import { badNeeded, missIsCertain } from '../../../src/result/statistics/planning.ts'
import { createRandom } from '../../../src/base/random.ts'

test('the first bad one too many is the one whose whole interval lies above the bound', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5_000 }),
      fc.double({ min: 0.001, max: 0.99, noNaN: true }),
      (total, share) => {
        const bad = badNeeded(total, { share, side: 'below' })
        const low = (count: number) => shareInterval(count, total)?.low ?? 0
        expect(bad > total || low(bad) > share).toBe(true)
        expect(low(Math.min(bad, total + 1) - 1)).toBeLessThanOrEqual(share)
      },
    ),
    { seed: 13, numRuns: 200 },
  )
})

test.each<[bound: ShareBound, total: number, bad: number]>([
  [{ share: 0.05, side: 'below' }, 1_000, 50],
  [{ share: 0.05, side: 'below', orEqual: true }, 1_000, 51],
  [{ share: 0.05, side: 'below' }, 1_001, 51],
  [{ share: 0.95, side: 'above' }, 1_000, 50],
  [{ share: 0.95, side: 'above', orEqual: true }, 1_000, 51],
  [{ share: 0, side: 'below', orEqual: true }, 1_000, 1],
  [{ share: 1, side: 'above', orEqual: true }, 1_000, 1],
  [{ share: 1, side: 'below', orEqual: true }, 1_000, Infinity],
])('by value %j is missed among %d from %d bad ones on', (bound, total, bad) => {
  expect(badNeeded(total, bound, 'value')).toBe(bad)
})

test('a sample too small for its bound is never certain to miss it', () => {
  const bound: ShareBound = { share: 0.99, side: 'below' }
  expect(badNeeded(10, bound)).toBe(Infinity)
  expect(missIsCertain({ bad: 10, total: 10, bound })).toBe(false)
})

test('who stops by it would have been judged so at the end, whatever was still to come', () => {
  const random = createRandom(21)
  const bound: ShareBound = { share: 0.05, side: 'below' }
  let stopped = 0
  for (let run = 0; run < 300; run++) {
    const [total, truth] = [600, 0.03 + 0.1 * random.next()]
    let bad = 0
    for (let i = 0; i < total && !missIsCertain({ bad, total, bound }); i++) {
      bad += random.next() < truth ? 1 : 0
    }
    if (!missIsCertain({ bad, total, bound })) continue
    stopped++
    expect(shareInterval(bad, total)!.low).toBeGreaterThan(0.05)
  }
  expect(stopped).toBeGreaterThan(100)
})

test('a miss is certain from the first bad one too many on, and not before', () => {
  const bound: ShareBound = { share: 0.05, side: 'below' }
  const needed = badNeeded(600, bound)
  expect(missIsCertain({ bad: needed - 1, total: 600, bound })).toBe(false)
  expect(missIsCertain({ bad: needed, total: 600, bound })).toBe(true)
})

test('where observations depend on each other, a count must be as far off as the interval of fewer', () => {
  const bound: ShareBound = { share: 0.05, side: 'below' }
  const standing = { total: 1_000, bound, independentPart: 0.1 }
  expect(missIsCertain({ ...standing, independentPart: 1, bad: 65 })).toBe(true)
  expect(missIsCertain({ ...standing, bad: 65 })).toBe(false)
  const needed = Array.from({ length: 1_000 }, (_, bad) => bad).find((bad) =>
    missIsCertain({ ...standing, bad }),
  )!
  expect(shareInterval(needed, 1_000, 0.95, 100)!.low).toBeGreaterThan(0.05)
  expect(shareInterval(needed - 1, 1_000, 0.95, 100)!.low).toBeLessThanOrEqual(0.05)
  expect(missIsCertain({ ...standing, judge: 'value', bad: 50 })).toBe(true)
})
