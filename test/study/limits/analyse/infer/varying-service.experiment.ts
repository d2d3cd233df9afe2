/** A target whose answers take long, each a time of its own: its limiter is named all the same. */
import { describe, expect, test } from 'vitest'
import { drawLimiter } from '../../../../../bench/truth/limits/draw.ts'
import { inferIn } from '../../../../../bench/truth/limits/trial.ts'
import type { ServiceName } from '../../../../../bench/truth/limits/varying.ts'
import { answerIn, inferVaried, SERVICES } from '../../../../../bench/truth/limits/varying.ts'
import { profileWorld } from '../../profile-world.ts'

const NAMES = Object.keys(SERVICES) as ServiceName[]
const LOGNORMAL = 'p50 80 ms, p95 250 ms, lognormal'

describe.each(NAMES)('service of %s', (name) => {
  test('of 16 limiters most are answered, and at most one of those is wrong', () => {
    const answers = Array.from({ length: 16 }, (_, i) =>
      answerIn(inferVaried(drawLimiter(24_000 + i), name)),
    )
    expect(answers.filter((answer) => answer === 'right').length).toBeGreaterThanOrEqual(12)
    expect(answers.filter((answer) => answer === 'wrong').length).toBeLessThanOrEqual(1)
  })

  const serviceMs = (_: number, random: Parameters<(typeof SERVICES)[ServiceName]['draw']>[0]) =>
    SERVICES[name].draw(random)

  test('requests that a bucket holds back are told from those that it refuses', () => {
    for (const [excess, delaying] of [
      ['delayed', true],
      ['at once', false],
    ] as const) {
      for (const seed of [1, 2, 3]) {
        const limiter = `leakyBucket: { rate: 8/s, burst: 15, excess: ${excess} }`
        const { rateLimit } = inferIn(profileWorld(limiter, seed, { serviceMs }), seed).conclusion
        expect(rateLimit).toMatchObject({ delaying, capacity: { value: 16 } })
      }
    }
  })

  test('a limit of how many are in flight is one', () => {
    for (const seed of [1, 2, 3, 4]) {
      const limiter = 'concurrency: { limit: 5 }'
      const { outcome, rateLimit } = inferIn(
        profileWorld(limiter, seed, { serviceMs }),
        seed,
      ).conclusion
      expect(outcome).toBe('settled')
      expect(rateLimit).toMatchObject({ kind: 'concurrency', concurrency: { value: 5 } })
    }
  })
})

test('a bucket that gained many tokens while the first answers came is found, seed 21013', () => {
  const { conclusion, judged } = inferVaried(drawLimiter(21_013), LOGNORMAL)
  expect(conclusion.rateLimit.kind).toBe('token-bucket')
  expect(judged).toMatchObject({ kindRight: true, limitExact: true, timeClose: true })
})
