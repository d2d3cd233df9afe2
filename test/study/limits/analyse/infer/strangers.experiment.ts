/** Limiters that others wrote are named right, on a machine that has other work as well. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createRandom } from '../../../../../src/base/random.ts'
import { Inference } from '../../../../../src/study/limits/analyse/infer/inference.ts'
import type { Conclusion } from '../../../../../src/study/limits/analyse/infer/interface.ts'
import type { RateLimit } from '../../../../../src/study/limits/document.ts'
import type { Network } from '../../stranger-world.ts'
import { expressRateLimit, rateLimiterFlexible, StrangerWorld } from '../../stranger-world.ts'

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

const IN_TIME = { share: 0, mostMs: 0 }

describe.each([
  ['express-rate-limit', () => expressRateLimit(12, 3_000), 12, 3_000],
  ['rate-limiter-flexible', () => rateLimiterFlexible(7, 3), 7, 3_000],
])('%s', (_, limiterOf, limit, windowMs) => {
  async function studied(
    stalls: Network['stalls'],
    seed: number,
    network = 'network',
  ): Promise<Conclusion> {
    const random = createRandom(seed).fork(network)
    return concluded(new StrangerWorld(limiterOf(), { jitterMs: 10, stalls, random }), seed)
  }

  test.each([
    ['in time', IN_TIME, 1, 1],
    ['of which 5 % are up to 300 ms late', { share: 0.05, mostMs: 300 }, 4, 3],
    ['of which 10 % are up to 60 ms late', { share: 0.1, mostMs: 60 }, 4, 3],
  ])(`${limit} in ${windowMs} ms, by ways %s`, async (__, stalls, seeds, least) => {
    let answered = 0
    for (let seed = 1; seed <= seeds; seed++) {
      const { outcome, rateLimit } = await studied(stalls, seed)
      if (outcome !== 'settled') continue
      answered++
      expect(rightIn(rateLimit, limit, windowMs)).toBe(true)
    }
    expect(answered).toBeGreaterThanOrEqual(least)
  })

  test.each([
    { share: 0.25, mostMs: 250 },
    { share: 0.5, mostMs: 700 },
  ])('of ways that are late too often, that is the reason: %o', async (stalls) => {
    const { outcome, rateLimit, caveats } = await studied(stalls, 1, 'late network')
    expect(outcome).not.toBe('settled')
    expect(rateLimit.probability).toBeLessThanOrEqual(0.9)
    // What long round trips explain is nobody else's doing.
    expect(caveats.map(({ code }) => code)).toEqual(['late'])
  })
})
