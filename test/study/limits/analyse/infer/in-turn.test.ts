/**
 * A target that serves one request at a time answers those of a burst in turn, as a limiter does
 * that holds requests back. The limit in front of it is named all the same.
 */
import { expect, test } from 'vitest'
import { drawLimiter } from '../../../../../bench/truth/limits/draw.ts'
import { judge } from '../../../../../bench/truth/limits/judge.ts'
import { inferIn, worldOf } from '../../../../../bench/truth/limits/trial.ts'
import type { WorldOptions } from '../../../../../bench/truth/limits/world.ts'
import { profileWorld } from '../../profile-world.ts'

const LIMITERS = [
  ['fixedWindow: { limit: 12, window: 3s, from: first hit }', 'fixed-window'],
  ['slidingLog: { limit: 12, window: 3s }', 'sliding-log'],
  ['tokenBucket: { rate: 4/s, capacity: 12 }', 'token-bucket'],
] as const

const TARGETS = {
  'behind the limiter': { serviceMs: (inFlight) => 10 * inFlight },
  'that the limiter is part of': { serviceMs: () => 5, isSerial: true },
} satisfies Record<string, Pick<WorldOptions, 'serviceMs' | 'isSerial'>>

for (const [name, target] of Object.entries(TARGETS)) {
  test.each(LIMITERS)(`%s, with a target ${name}, is a %s`, (limiter, kind) => {
    for (const seed of [1, 2, 3]) {
      const world = profileWorld(limiter, seed, { jitterMs: 1, ...target })
      const { outcome, finding } = inferIn(world, seed).conclusion
      expect(outcome).toBe('settled')
      expect(finding).toMatchObject({ kind, delaying: false })
      expect((finding.limit ?? finding.capacity)!.value).toBe(12)
    }
  })
}

test('a bucket that holds back what is beyond it is told as one', () => {
  for (const seed of [1, 2, 3]) {
    const limiter = 'leakyBucket: { rate: 20/s, burst: 11, excess: delayed }'
    const { outcome, finding } = inferIn(profileWorld(limiter, seed), seed).conclusion
    expect(outcome).toBe('settled')
    expect(finding).toMatchObject({ kind: 'leaky-bucket', delaying: true })
    expect(finding.ratePerSecond!.low).toBeLessThanOrEqual(20)
    expect(finding.ratePerSecond!.high).toBeGreaterThanOrEqual(20)
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
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    const served = { jitterMs: 1, serviceMs: () => serviceMs }
    const world = profileWorld('concurrency: { limit: 1 }', seed, served)
    const { outcome, finding } = inferIn(world, seed).conclusion
    expect({ outcome, kind: finding.kind }).not.toEqual({
      outcome: 'settled',
      kind: 'token-bucket',
    })
  }
})
