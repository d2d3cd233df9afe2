import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { logBinomial } from '../../../src/result/statistics/beta.ts'
import type { ShareBound } from '../../../src/result/statistics/shares.ts'
import { shareInterval } from '../../../src/result/statistics/shares.ts'
import {
  arrivalsForHonestInterval,
  chanceToMeet,
  leastToDecide,
  moreToSettle,
  relaxationArrivals,
} from '../../../src/result/statistics/planning.ts'

const below = (share: number): ShareBound => ({ share, side: 'below' })
const above = (share: number): ShareBound => ({ share, side: 'above' })
/** An interval that lies wholly on the bad side of a bound meets the opposite one. */
const OTHER = { below: 'above', above: 'below' } as const

test.each([
  [below(0.05), 72],
  [below(0.01), 368],
  [above(0.95), 72],
  [above(0.99), 368],
  [below(0.5), 6],
  // The difference is a little above 0.05: a bound on a p95 takes no observation more.
  [below(1 - 0.95), 72],
  [below(1 - 0.99), 368],
  [above(1 - 0.5), 6],
  [below(0), null],
  [above(1), null],
])('%j takes at least %s observations', (bound, least) => {
  expect(leastToDecide(bound)).toBe(least)
})

test('with the least number the interval of nothing bad is good, and with one fewer it is not', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.0005, max: 0.9, noNaN: true }), (share) => {
      const n = leastToDecide(below(share))!
      expect(shareInterval(0, n)!.high).toBeLessThan(share)
      expect(shareInterval(0, n - 1)?.high ?? 1).toBeGreaterThanOrEqual(share)
    }),
    { seed: 5, numRuns: 100 },
  )
})

test('the chances are those of the counts whose interval lies on one side', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 300 }),
      fc.double({ min: 0.02, max: 0.98, noNaN: true }),
      fc.double({ min: 0.01, max: 0.99, noNaN: true }),
      fc.constantFrom<ShareBound['side']>('below', 'above'),
      (n, share, truth, side) => {
        let [meet, miss] = [0, 0]
        for (let hits = 0; hits <= n; hits++) {
          const { low, high } = shareInterval(hits, n)!
          const chance = Math.exp(logBinomial(hits, n, truth))
          if (side === 'below' ? high < share : low > share) meet += chance
          if (side === 'below' ? low > share : high < share) miss += chance
        }
        expect(chanceToMeet(n, { share, side }, truth)).toBeCloseTo(meet, 8)
        expect(chanceToMeet(n, { share, side: OTHER[side] }, truth)).toBeCloseTo(miss, 8)
      },
    ),
    { seed: 9, numRuns: 100 },
  )
})

test('a truth without doubt is met, or missed, for sure', () => {
  expect(chanceToMeet(72, below(0.05), 0)).toBe(1)
  expect(chanceToMeet(71, below(0.05), 0)).toBe(0)
  expect(chanceToMeet(72, above(0.05), 1)).toBe(1)
  expect(chanceToMeet(72, above(0.95), 1)).toBe(1)
})

/** Against a bound of 5 %, with 4 % hits. */
const isMet = (n: number) => shareInterval(0.04 * n, n)!.high < 0.05

test('the fewest more observations are found, and one fewer leaves the bound inside', () => {
  expect(moreToSettle(0, 5, below(0.05))).toBe(67)
  const more = moreToSettle(8, 200, below(0.05))!
  expect(more).toBeGreaterThan(1_000)
  expect([isMet(200), isMet(200 + more - 1), isMet(200 + more)]).toEqual([false, false, true])
  expect(moreToSettle(192, 200, above(0.95))).toBe(more)
})

test('nothing more is needed where all is said, and nothing helps at the bound', () => {
  expect(moreToSettle(0, 100, below(0.05))).toBe(0)
  expect(moreToSettle(50, 100, below(0.05))).toBe(0)
  expect(moreToSettle(5, 100, below(0.05))).toBeNull()
  expect(moreToSettle(5_001, 100_000, below(0.05))).toBeNull()
  expect(moreToSettle(0, 0, below(0.05))).toBeNull()
})

test('what depends on each other needs more to settle', () => {
  const independent = moreToSettle(8, 200, below(0.05))!
  const correlated = moreToSettle(8, 200, below(0.05), 50)!
  expect(correlated + 200).toBeCloseTo(4 * (independent + 200), -1)
})

test.each([
  [0.67, 20],
  [0.75, 42],
  [0.85, 140],
  [0.9, 342],
])('a queue at load %d forgets within %d arrivals', (rho, arrivals) => {
  expect(Math.round(relaxationArrivals(rho))).toBe(arrivals)
})

test('up to a load of 0.7 any size is honest, at 1 none', () => {
  expect(arrivalsForHonestInterval(0.7)).toBe(0)
  expect(arrivalsForHonestInterval(0.85)).toBeCloseTo(200 * relaxationArrivals(0.85), 6)
  expect(arrivalsForHonestInterval(1)).toBe(Infinity)
})
