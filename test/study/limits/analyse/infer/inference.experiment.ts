/** Limiters of the fake crew are named right from answers alone, and nothing else is named one. */
import { describe, expect, test } from 'vitest'
import { drawLimiter } from '../../../../../bench/truth/limits/draw.ts'
import { judge } from '../../../../../bench/truth/limits/judge.ts'
import { OTHERS } from '../../../../../bench/truth/limits/others.ts'
import { inferBeside, sharedIn } from '../../../../../bench/truth/limits/shared.ts'
import { inferIn, SUSPECTS, worldOf } from '../../../../../bench/truth/limits/trial.ts'

/** Seeds of development, three of each kind: those of the bench stay unseen. */
const SEEDS = [
  4, 6, 8, 9, 10, 12, 13, 16, 17, 18, 19, 27, 28, 31, 34, 36, 44, 45, 46, 49, 56, 57, 59,
]

describe('limiters at random', () => {
  test.each(SEEDS.map((seed) => [drawLimiter(seed).kind, seed] as const))(
    'the kind %s, seed %i',
    (_, seed) => {
      const drawn = drawLimiter(seed)
      const { conclusion } = inferIn(worldOf(drawn), seed)
      expect(judge(drawn, conclusion)).toMatchObject({ kindRight: true })
      expect(conclusion.requests).toBeLessThanOrEqual(600)
    },
  )
})

describe('targets without a limiter', () => {
  test.each(Object.entries(OTHERS))('one that %s is called no limiter', (_, worldFrom) => {
    for (const seed of [1, 2]) {
      const { rateLimit } = inferIn(worldFrom(seed), seed).conclusion
      expect(['none', 'unknown']).toContain(rateLimit.kind)
    }
  })
})

describe('limiters that another client uses as well, without headers', () => {
  const trials = Array.from({ length: 40 }, (_, i) => drawLimiter(50_000 + i)).flatMap((drawn) => {
    const trial = inferBeside(drawn, 0.4)
    return trial === null ? [] : [{ drawn, conclusion: trial.conclusion }]
  })

  test('of 25 few are called something else with certainty', () => {
    const named = trials.map(({ drawn, conclusion }) => sharedIn(drawn, conclusion))
    expect(named).toHaveLength(25)
    // About one in thirty is: more than three of 25 would be no chance.
    expect(named.filter((each) => each === 'wrong').length).toBeLessThanOrEqual(3)
    expect(named.filter((each) => each === 'unknown, named').length).toBeGreaterThanOrEqual(8)
  })

  test('what answers contradict, or fit poorly, is not certain', () => {
    const told = trials.filter(({ conclusion: { caveats } }) =>
      caveats.some(({ code }) => SUSPECTS.has(code)),
    )
    expect(told.length).toBeGreaterThanOrEqual(8)
    for (const { conclusion } of told) {
      expect(conclusion.outcome).toBe('cannot-tell')
      expect(conclusion.rateLimit.probability).toBeLessThanOrEqual(0.9)
    }
  })
})

describe('a penalty within 1 ms of jitter, of whose window few blocks tell', () => {
  test.each([40_208, 40_287, 40_354, 40_515, 40_619, 40_638])(
    'seed %i: where a window is claimed with certainty, it is the true one',
    (seed) => {
      const drawn = { ...drawLimiter(seed), jitterMs: 1 }
      const { conclusion } = inferIn(worldOf(drawn), seed)
      const { kindRight, claimClose } = judge(drawn, conclusion)
      expect(kindRight).toBe(true)
      expect(conclusion.outcome !== 'settled' || claimClose !== false).toBe(true)
    },
  )
})

test('a small budget is kept', () => {
  const drawn = drawLimiter(8)
  const { conclusion, world } = inferIn(worldOf(drawn), 8, { maxRequests: 70 })
  expect(world.evidence.length).toBeLessThanOrEqual(70)
  expect(conclusion.requests).toBe(world.evidence.length)
})
