/** The retry budget: a floor and a share, of late. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { RetryBudget } from '../../../src/scenario/retry.ts'

const SECOND = 1_000_000
const WINDOW = 10 * SECOND

/** Retries taken at `atMicros` until it refuses, or `most`. */
function takeAll(budget: RetryBudget, atMicros: number, most = 1_000): number {
  let taken = 0
  while (taken < most && budget.take(atMicros)) taken++
  return taken
}

test('is a floor and a share of the first attempts', () => {
  const budget = new RetryBudget({ ratio: 0.5, minimum: 1, windowMicros: WINDOW })
  expect([budget.take(0), budget.take(0)]).toEqual([true, false])
  for (let i = 0; i < 4; i++) budget.countFirstAttempt(0)
  expect([budget.take(0), budget.take(0), budget.take(0)]).toEqual([true, true, false])
})

test('saves nothing up: after an hour of good times it allows what it allows after ten seconds', () => {
  const budget = new RetryBudget({ ratio: 0.1, minimum: 5, windowMicros: WINDOW })
  for (let i = 0; i < 36_000; i++) budget.countFirstAttempt(i * 0.1 * SECOND)
  expect(takeAll(budget, 3_600 * SECOND)).toBe(5 + 9)
})

test('allows again what it allowed a window before', () => {
  const budget = new RetryBudget({ ratio: 0, minimum: 3, windowMicros: WINDOW })
  expect(takeAll(budget, 0)).toBe(3)
  expect(takeAll(budget, 9.9 * SECOND)).toBe(0)
  expect(takeAll(budget, 10 * SECOND)).toBe(3)
  expect(takeAll(budget, 1e15)).toBe(3)
})

test('takes a time that lies before for the latest', () => {
  const budget = new RetryBudget({ ratio: 0, minimum: 2, windowMicros: WINDOW })
  expect(takeAll(budget, 100 * SECOND)).toBe(2)
  expect(takeAll(budget, 50 * SECOND)).toBe(0)
})

test('tells the first refusal once', () => {
  const budget = new RetryBudget({ ratio: 0, minimum: 0, windowMicros: WINDOW })
  expect(budget.takeRefusal()).toBe(false)
  budget.take(0)
  budget.take(WINDOW)
  expect([budget.takeRefusal(), budget.takeRefusal()]).toEqual([true, false])
})

test('is exceeded in no window, in whatever order it is used', () => {
  const policy = fc.record({
    ratio: fc.double({ min: 0, max: 1, noNaN: true }),
    minimum: fc.nat(5),
    windowMicros: fc.constant(WINDOW),
  })
  const steps = fc.array(fc.tuple(fc.boolean(), fc.nat(3 * SECOND)), { maxLength: 200 })
  fc.assert(
    fc.property(policy, steps, (limits, list) => {
      const budget = new RetryBudget(limits)
      const firstAttempts: number[] = []
      const retries: number[] = []
      let nowMicros = 0
      for (const [isRetry, pause] of list) {
        nowMicros += pause
        const windowStart = (Math.floor(nowMicros / SECOND) - 9) * SECOND
        const recent = (times: readonly number[]): number =>
          times.filter((time) => time >= windowStart).length
        const allowed = limits.minimum + limits.ratio * recent(firstAttempts)
        if (!isRetry) {
          budget.countFirstAttempt(nowMicros)
          firstAttempts.push(nowMicros)
          continue
        }
        expect(budget.take(nowMicros)).toBe(recent(retries) + 1 <= allowed)
        if (recent(retries) + 1 <= allowed) retries.push(nowMicros)
      }
    }),
    { seed: 17, numRuns: 300 },
  )
})
