/**
 * Limiters that are strangers to this code base, over sockets. How late a loaded machine is, is
 * not known beforehand: what is claimed has to be true but for that lateness. That it is claimed,
 * and that intervals hold the truth, `analyse/infer/strangers.test.ts` shows in simulated time. At the same time, for they mostly wait.
 */
import { describe, test } from 'vitest'
import { inferLimits } from '../../../../src/study/limits/conduct/conduct.ts'
import { expressRateLimit, rateLimiterFlexible, startStranger } from '../strangers.ts'

const WINDOW_MS = 3_000
/** By how much an interval may miss where limiter and client share one busy event loop. */
const LATE_MS = 300
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
      expect(low).toBeLessThanOrEqual(WINDOW_MS + LATE_MS)
      expect(high).toBeGreaterThanOrEqual(WINDOW_MS - LATE_MS)
    })
  }
})
