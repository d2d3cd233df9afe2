/** Limiters that others wrote are named right, on a machine that has other work as well. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createRandom } from '../../../../../src/base/random.ts'
import { createInference } from '../../../../../src/study/limits/analyse/infer/inference.ts'
import type { Conclusion } from '../../../../../src/study/limits/analyse/infer/interface.ts'
import { StrangerWorld } from '../../stranger-world.ts'
import { expressRateLimit, rateLimiterFlexible } from '../../strangers.ts'

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  })
})
afterEach(() => void vi.useRealTimers())

async function concluded(world: StrangerWorld, seed: number): Promise<Conclusion> {
  const inference = createInference({}, createRandom(seed))
  for (;;) {
    const step = inference.next(world.evidence, world.nowMs)
    if (step.kind === 'conclusion') return step
    await world.conduct(step)
  }
}

describe.each([
  ['express-rate-limit', () => expressRateLimit(12, 3_000), 12, 3_000],
  ['rate-limiter-flexible', () => rateLimiterFlexible(7, 3), 7, 3_000],
])('%s', (_, limiterOf, limit, windowMs) => {
  test.each([
    [0, 0, 1],
    [0.05, 300, 2],
    [0.05, 300, 4],
    [0.05, 300, 6],
    [0.05, 300, 11],
    [0.1, 60, 3],
    [0.1, 60, 15],
  ])(`${limit} in ${windowMs} ms, of the ways %d late by up to %i ms (seed %i)`, async (...of) => {
    const [share, mostMs, seed] = of
    const random = createRandom(seed).fork('network')
    const stalls = { share, mostMs }
    const world = new StrangerWorld(limiterOf(), { jitterMs: 10, stalls, random })
    const { outcome, finding } = await concluded(world, seed)
    expect(outcome).toBe('settled')
    expect(finding).toMatchObject({ kind: 'fixed-window', limit: { value: limit } })
    expect(finding.windowMs!.low).toBeLessThanOrEqual(windowMs)
    expect(finding.windowMs!.high).toBeGreaterThanOrEqual(windowMs)
  })

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
      const { outcome, finding, reasons } = await concluded(world, seed)
      expect(outcome).not.toBe('settled')
      expect(finding.probability).toBeLessThanOrEqual(0.9)
      expect(reasons.join(' ')).toMatch(/this machine was late/)
      // What long round trips explain is nobody else's doing.
      expect(reasons.join(' ')).not.toMatch(/another client/)
    },
  )
})
