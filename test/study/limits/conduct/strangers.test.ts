/**
 * Limiters that are strangers to this code base, over sockets. Client and limiter share an event
 * loop, and a machine with other work delays both: the document tells how long round trips took.
 * Where they were short beside the window the limit is named, and the window within 5 %. Where
 * they were long the answer may be that it cannot be told, for that reason and no other. What is
 * claimed holds the truth either way. One after the other: what one study computes would delay the
 * requests of another.
 */
import { describe, expect, test } from 'vitest'
import { conducting } from '../../../../src/study/limits/conduct/conduct.ts'
import type { LimitsDocument } from '../../../../src/study/limits/document.ts'
import { expressRateLimit, rateLimiterFlexible, startStranger } from '../strangers.ts'
import { conductStudy } from '../../../../src/study/frame/conduct/conduct.ts'

const WINDOW_MS = 3_000
/** Nine of ten round trips within this: the machine had time for the study. */
const UNDISTURBED_MS = 50
/** Where they took longer than this, the study may say so and claim nothing. */
const LATE_MS = 80
const STRANGERS = [
  { name: 'express-rate-limit', limiter: expressRateLimit(12, WINDOW_MS), limit: 12 },
  { name: 'rate-limiter-flexible', limiter: rateLimiterFlexible(7, WINDOW_MS / 1_000), limit: 7 },
]

describe('a limiter that others wrote', () => {
  for (const { name, limiter, limit } of STRANGERS) {
    test(`${name} is named right`, { timeout: 180_000 }, async () => {
      const paths: string[] = []
      await using crew = await startStranger((request, response, next) => {
        paths.push(request.path)
        void limiter(request, response, next)
      })
      const { document } = await conductStudy(conducting, {
        operations: ['inputs'],
        out: false,
        maxRequests: 400,
        sustainMs: 0,
        run: { target: crew.url },
      })
      const inputs = document.operations.inputs!
      expect(inputs.refusal!.status).toBe(429)
      // A request that is no evidence would begin a window that the study knows nothing of.
      expect(paths.slice(0, document.requests)).toEqual(paths.filter((path) => path === '/inputs'))
      expect(told(document)).toBe(true)
      expect(claimed(document)).toEqual({ kind: 'fixed-window', limit, holds: true, isClose: true })
    })
  }
})

/** Whether it was answered, or why not: the machine was late, and the round trips show it. */
function told({ verdict, operations: { inputs } }: LimitsDocument): boolean {
  const isLate = inputs!.roundTripMs!.p90 > LATE_MS
  const saysSo = inputs!.reasons.some(({ code }) => code === 'late')
  return verdict.outcome === 'answered' || (isLate && saysSo)
}

/** Of an answer that claims nothing, only the kind and the limit. */
function claimed({ verdict, operations }: LimitsDocument): object {
  const { kind, limit, windowMs, roundTripMs } = operations.inputs!
  const { value, low, high } = windowMs!
  const isClaimed = verdict.outcome === 'answered'
  const isDisturbed = roundTripMs!.p90 > UNDISTURBED_MS
  return {
    kind,
    limit: limit!.value,
    holds: !isClaimed || (low <= WINDOW_MS && WINDOW_MS <= high),
    isClose: !isClaimed || isDisturbed || Math.abs(value / WINDOW_MS - 1) < 0.05,
  }
}
