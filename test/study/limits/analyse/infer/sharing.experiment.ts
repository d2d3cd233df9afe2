/** Requests to other operations may have used up the same limit: they are told apart from others. */
import { describe, expect, test } from 'vitest'
import { inferIn } from '../../../../../bench/truth/limits/trial.ts'
import type {
  LimitEvidence,
  LimiterAnswer,
} from '../../../../../src/study/limits/analyse/infer/interface.ts'
import { profileWorld } from '../../profile-world.ts'

function asked(sentMs: number): LimiterAnswer {
  return { sentMs, receivedMs: sentMs + 10, answer: 'accepted', status: 200, headers: {} }
}

const EARLIER: LimitEvidence = [asked(0), asked(0)]

/** A limit of which two requests are used at first, where `isUsed`. */
function limitFound(
  limiter: string,
  seed: number,
  isUsed: boolean,
  earlier: readonly LimitEvidence[],
) {
  const world = profileWorld(limiter, seed)
  if (isUsed) world.stranger(EARLIER.length)
  const { conclusion } = inferIn(world, seed, { earlier })
  const { capacity, limit } = conclusion.rateLimit
  return { outcome: conclusion.outcome, limit: (capacity ?? limit)?.value }
}

describe.each([
  ['tokenBucket: { rate: 5/s, capacity: 20 }, rejected: counted', 20],
  ['tokenBucket: { rate: 1/s, capacity: 12 }', 12],
  ['slidingCounter: { limit: 8, window: 10s }', 8],
  ['slidingLog: { limit: 3, window: 20s }', 3],
])('%s', (limiter, limit) => {
  test.each([1, 2, 3])('is told where they used it, seed %i', (seed) => {
    expect(limitFound(limiter, seed, true, [EARLIER])).toEqual({ outcome: 'settled', limit })
  })

  test.each([1, 2, 3])('and where they did not, seed %i', (seed) => {
    expect(limitFound(limiter, seed, false, [EARLIER])).toEqual({ outcome: 'settled', limit })
  })
})

test('one of several sets of them may be right', () => {
  const sets = [[asked(0)], EARLIER, [asked(0), asked(0), asked(0)]]
  for (const seed of [1, 2, 3]) {
    const counted = 'tokenBucket: { rate: 5/s, capacity: 20 }, rejected: counted'
    expect(limitFound(counted, seed, true, sets)).toEqual({ outcome: 'settled', limit: 20 })
  }
})
