/**
 * A limit that another client uses at a steady rhythm, and no header shows it: what that one takes
 * looks like a lower limit. Two experiments before a limiter is certain tell the difference.
 */
import { expect, test } from 'vitest'
import { besides } from '../../../../../bench/truth/limits/shared.ts'
import { inferIn } from '../../../../../bench/truth/limits/trial.ts'
import { SUSPECTS } from '../../../../../src/study/limits/analyse/infer/doubts.ts'
import { profileWorld } from '../../profile-world.ts'

test.each([
  ['tokenBucket: { rate: 5/s, capacity: 12 }', 150, [5, 6]],
  ['tokenBucket: { rate: 5/s, capacity: 12 }', 310, [1, 4]],
  ['tokenBucket: { rate: 5/s, capacity: 20 }', 510, [3, 8]],
])('%s beside a client every %i ms is not answered (seeds %j)', (limiter, everyMs, seeds) => {
  for (const seed of seeds) {
    const world = besides(profileWorld(limiter, seed), () => everyMs)
    const { outcome, doubts } = inferIn(world, seed).conclusion
    expect(outcome).toBe('cannot-tell')
    expect(doubts.some(({ code }) => SUSPECTS.has(code))).toBe(true)
  }
})
