/** Targets and other clients that hide a limiter: it is named all the same, or not claimed. */
import { describe, expect, test } from 'vitest'
import { drawLimiter } from '../../../../../bench/truth/limits/draw.ts'
import { judge } from '../../../../../bench/truth/limits/judge.ts'
import { besides } from '../../../../../bench/truth/limits/shared.ts'
import { inferIn, SUSPECTS, worldOf } from '../../../../../bench/truth/limits/trial.ts'
import type { WorldOptions } from '../../../../../bench/truth/limits/world.ts'
import type { Conclusion } from '../../../../../src/study/limits/analyse/infer/interface.ts'
import { profileWorld } from '../../profile-world.ts'

/** What is concluded of such a limiter, with seeds from 1 on. */
function concluded(
  limiter: string,
  seeds: number,
  more: Parameters<typeof profileWorld>[2] = {},
): Conclusion[] {
  return Array.from(
    { length: seeds },
    (_, i) => inferIn(profileWorld(limiter, i + 1, more), i + 1).conclusion,
  )
}

/**
 * A target that serves one request at a time answers those of a burst in turn, as a limiter does
 * that holds requests back.
 */
const TARGETS = {
  'behind the limiter': { serviceMs: (inFlight) => 10 * inFlight },
  'that the limiter is part of': { serviceMs: () => 5, isSerial: true },
} satisfies Record<string, Pick<WorldOptions, 'serviceMs' | 'isSerial'>>

describe.each(Object.entries(TARGETS))('a target %s that answers in turn', (_, target) => {
  test.each([
    ['fixedWindow: { limit: 12, window: 3s, from: first hit }', 'fixed-window'],
    ['slidingLog: { limit: 12, window: 3s }', 'sliding-log'],
    ['tokenBucket: { rate: 4/s, capacity: 12 }', 'token-bucket'],
  ])('%s is a %s', (limiter, kind) => {
    for (const { outcome, rateLimit } of concluded(limiter, 3, { jitterMs: 1, ...target })) {
      expect(outcome).toBe('settled')
      expect(rateLimit).toMatchObject({ kind, delaying: false })
      expect((rateLimit.limit ?? rateLimit.capacity)!.value).toBe(12)
    }
  })
})

test('a bucket that holds back what is beyond it is told as one', () => {
  for (const { outcome, rateLimit } of concluded(
    'leakyBucket: { rate: 20/s, burst: 11, excess: delayed }',
    3,
  )) {
    expect(outcome).toBe('settled')
    expect(rateLimit).toMatchObject({ kind: 'leaky-bucket', delaying: true })
    expect(rateLimit.ratePerSecond!.low).toBeLessThanOrEqual(20)
    expect(rateLimit.ratePerSecond!.high).toBeGreaterThanOrEqual(20)
  }
})

test.each([30_075, 20_029, 20_034])(
  'seed %i: so is one for two or three, where one that waits alone waits for several turns',
  (seed) => {
    const drawn = drawLimiter(seed)
    const { conclusion } = inferIn(worldOf(drawn), seed)
    const right = { kindRight: true, limitExact: true, timeClose: true, covered: true }
    expect(judge(drawn, conclusion)).toMatchObject(right)
  },
)

test.each([128, 489])('one request in flight, served in %i ms, is no bucket', (serviceMs) => {
  const served = { jitterMs: 1, serviceMs: () => serviceMs }
  const named = concluded('concurrency: { limit: 1 }', 6, served)
  const certain = named.filter(({ outcome }) => outcome === 'settled')
  expect(certain.map(({ rateLimit }) => rateLimit.kind)).not.toContain('token-bucket')
})

test.each([
  ['free', true],
  ['counted', false],
])(
  'a bucket that holds back, whose refused requests are %s, is not told wrong',
  (rejected, wrong) => {
    const bucket = `leakyBucket: { rate: 2/s, burst: 10, excess: delayed }, rejected: ${rejected}`
    for (const { rateLimit, outcome } of concluded(bucket, 3)) {
      expect(outcome).toBe('settled')
      expect(rateLimit.delaying).toBe(true)
      expect(rateLimit.countsRefused).not.toBe(wrong)
    }
  },
)

test.each([
  ['free', false],
  ['counted', true],
])('a log whose refused requests are %s is told as one', (rejected, truth) => {
  const log = `slidingLog: { limit: 12, window: 3s }, rejected: ${rejected}`
  expect(concluded(log, 3).map(({ rateLimit }) => rateLimit.countsRefused)).toEqual(
    Array(3).fill(truth),
  )
})

/**
 * A target and a client that share a processor with other work pause at times, just when requests
 * come. When a window began is then known no better than the pause was long.
 */
test.each([
  [0.3, 40, 44],
  [0.6, 60, 39],
  [0.6, 60, 73],
])('of the moments of sending %d are paused after for up to %i ms (seed %i)', (share, ms, seed) => {
  const window = 'fixedWindow: { limit: 7, window: 3s, from: first hit }'
  const pauses = { share, mostMs: ms }
  const world = profileWorld(window, seed, { jitterMs: 1, serviceMs: () => 0.3, pauses })
  const { outcome, rateLimit } = inferIn(world, seed).conclusion
  expect(outcome).toBe('settled')
  expect(rateLimit).toMatchObject({ kind: 'fixed-window', limit: { value: 7 } })
  expect(rateLimit.windowMs!.low).toBeLessThanOrEqual(3_000)
  expect(rateLimit.windowMs!.high).toBeGreaterThanOrEqual(3_000)
})

/**
 * A limit that another client uses at a steady rhythm, and no header shows it: what that one takes
 * looks like a lower limit. Two experiments before a limiter is certain tell the difference.
 */
test.each([
  ['tokenBucket: { rate: 5/s, capacity: 12 }', 150, [5, 6]],
  ['tokenBucket: { rate: 5/s, capacity: 12 }', 310, [1, 4]],
  ['tokenBucket: { rate: 5/s, capacity: 20 }', 510, [3, 8]],
])('%s beside a client every %i ms is not answered (seeds %j)', (limiter, everyMs, seeds) => {
  for (const seed of seeds) {
    const world = besides(profileWorld(limiter, seed), () => everyMs)
    const { outcome, caveats } = inferIn(world, seed).conclusion
    expect(outcome).toBe('cannot-tell')
    expect(caveats.some(({ code }) => SUSPECTS.has(code))).toBe(true)
  }
})
