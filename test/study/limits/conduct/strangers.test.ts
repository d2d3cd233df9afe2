/** Limiters that are strangers to this code base. At the same time, for they mostly wait. */
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
    test(`${name} is named right`, { timeout: 180_000 }, async ({ expect }) => {
      await using crew = await startStranger(limiter)
      const { document } = await inferLimits({
        target: crew.url,
        operations: ['inputs'],
        out: false,
        maxRequests: 400,
        sustainMs: 0,
      })
      const { inputs } = document.operations
      expect(inputs).toMatchObject({ kind: 'fixed-window', limit })
      expect(Math.abs(inputs!.windowMs! / WINDOW_MS - 1)).toBeLessThan(0.05)
      expect(inputs!.refusal!.status).toBe(429)
      expect(document.verdict.outcome).toBe('answered')
    })
  }
})
