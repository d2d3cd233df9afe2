/** Limiters that others wrote are named right, on a machine that has other work as well. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createRandom } from '../../../../../src/base/random.ts'
import { Inference } from '../../../../../src/study/limits/analyse/infer/inference.ts'
import type { Conclusion } from '../../../../../src/study/limits/analyse/infer/interface.ts'
import type { RateLimit } from '../../../../../src/study/limits/document.ts'
import { StrangerWorld } from '../../stranger-world.ts'
import { expressRateLimit, rateLimiterFlexible } from '../../strangers.ts'

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  })
})
afterEach(() => void vi.useRealTimers())

async function concluded(world: StrangerWorld, seed: number): Promise<Conclusion> {
  const inference = new Inference({}, createRandom(seed))
  for (;;) {
    const step = inference.next(world.evidence, world.nowMs)
    if (step.kind === 'conclusion') return step
    await world.conduct(step)
  }
}

function rightIn({ kind, limit: found, windowMs: window }: RateLimit, limit: number, ms: number) {
  const isSame = kind === 'fixed-window' && found!.value === limit
  return isSame && window!.low <= ms && ms <= window!.high
}

describe.each([
  ['express-rate-limit', () => expressRateLimit(12, 3_000), 12, 3_000],
  ['rate-limiter-flexible', () => rateLimiterFlexible(7, 3), 7, 3_000],
])('%s', (_, limiterOf, limit, windowMs) => {
  test(`${limit} in ${windowMs} ms, requests in time`, async () => {
    const random = createRandom(1).fork('network')
    const stalls = { share: 0, mostMs: 0 }
    const world = new StrangerWorld(limiterOf(), { jitterMs: 10, stalls, random })
    const { outcome, finding } = await concluded(world, 1)
    expect(outcome).toBe('settled')
    expect(rightIn(finding, limit, windowMs)).toBe(true)
  })

  test.each([
    [0.05, 300],
    [0.1, 60],
  ])(
    `${limit} in ${windowMs} ms, of the ways %d late by up to %i ms: answered in 7 of 8, and never wrong`,
    async (share, mostMs) => {
      let answered = 0
      for (let seed = 1; seed <= 8; seed++) {
        const random = createRandom(seed).fork('network')
        const stalls = { share, mostMs }
        const world = new StrangerWorld(limiterOf(), { jitterMs: 10, stalls, random })
        const { outcome, finding } = await concluded(world, seed)
        if (outcome !== 'settled') continue
        answered++
        expect(rightIn(finding, limit, windowMs)).toBe(true)
      }
      expect(answered).toBeGreaterThanOrEqual(7)
    },
  )

  test.each([
    [0.25, 250, 1],
    [0.25, 250, 2],
    [0.5, 700, 1],
    [0.5, 700, 2],
  ])(
    `${limit} in ${windowMs} ms, of the ways %d up to %i ms late (seed %i): that is told`,
    async (share, mostMs, seed) => {
      const random = createRandom(seed).fork('late network')
      const stalls = { share, mostMs }
      const world = new StrangerWorld(limiterOf(), { jitterMs: 10, stalls, random })
      const { outcome, finding, doubts } = await concluded(world, seed)
      expect(outcome).not.toBe('settled')
      expect(finding.probability).toBeLessThanOrEqual(0.9)
      // What long round trips explain is nobody else's doing.
      expect(doubts.map(({ code }) => code)).toEqual(['late'])
    },
  )
})
