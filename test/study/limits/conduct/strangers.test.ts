/**
 * Limiters that are strangers to this code base, over sockets. How late a loaded machine is, is
 * not known beforehand: what is claimed has to be true, and `analyse/infer/strangers.test.ts` holds
 * in simulated time that it is claimed. At the same time, for they mostly wait.
 */
import { describe, test } from 'vitest'
import { inferLimits } from '../../../../src/study/limits/conduct/conduct.ts'
import { expressRateLimit, rateLimiterFlexible, startStranger } from '../strangers.ts'

const WINDOW_MS = 3_000
const STRANGERS = [
  { name: 'express-rate-limit', limiter: expressRateLimit(12, WINDOW_MS), limit: 12 },
  { name: 'rate-limiter-flexible', limiter: rateLimiterFlexible(7, WINDOW_MS / 1_000), limit: 7 },
]

describe.concurrent('a limiter that others wrote', () => {
  for (const { name, limiter, limit } of STRANGERS) {
    test(`what is claimed of ${name} is true`, { timeout: 180_000 }, async ({ expect }) => {
      await using crew = await startStranger(limiter)
      const { document } = await inferLimits({
        target: crew.url,
        operations: ['inputs'],
        out: false,
        maxRequests: 400,
        sustainMs: 0,
      })
      const { inputs } = document.operations
      expect(inputs!.refusal!.status).toBe(429)
      if (document.verdict.outcome !== 'answered') {
        expect(inputs!.reasons.join()).not.toBe('')
        return
      }
      expect(inputs).toMatchObject({ kind: 'fixed-window', limit })
      const { low, high } = inputs!.intervals.windowMs!
      expect(low).toBeLessThanOrEqual(WINDOW_MS)
      expect(high).toBeGreaterThanOrEqual(WINDOW_MS)
    })
  }
})
