/** Limits, and why they are not certain, in words. */
import { expect, test } from 'vitest'
import { UNKNOWN } from '../../../../src/study/limits/analyse/infer/interface.ts'
import type { Conclusion } from '../../../../src/study/limits/analyse/infer/interface.ts'
import { reasonsOf, roundestIn } from '../../../../src/study/limits/analyse/operation.ts'
import { limitWords, withOpen } from '../../../../src/study/limits/sentences/verdict.ts'
import type { OperationLimit } from '../../../../src/study/limits/document.ts'
import { answered, conclusionWith, exactly, probedWith } from '../sample-limits.ts'

const NONE: OperationLimit = {
  ...answered().operations.status!,
  ...UNKNOWN,
  kind: 'none',
  requests: 399,
  triedPerSecond: 398,
}
const SHARED = { token: null, path: null, sharedWith: ['status' as const], tried: [] }

test.each<[string, Partial<OperationLimit>]>([
  ['no limit met, at least 398 requests within a second (none of 399 was refused)', {}],
  [
    'no limit met, at least 1 request within a second (none of 5 was refused)',
    { requests: 5, triedPerSecond: 1 },
  ],
  ['not probed', { requests: 0, triedPerSecond: 0 }],
  [
    'no limit met but the one of status, at least 398 requests within a second (none of 399 was refused)',
    { scope: SHARED },
  ],
  [
    '60 requests in 60.0 s, by a sliding log',
    { kind: 'sliding-log', limit: exactly(60), windowMs: exactly(60_000) },
  ],
  [
    '1 request in 2.00 s, by a sliding log',
    { kind: 'sliding-log', limit: exactly(1), windowMs: exactly(2_000) },
  ],
  [
    'one request per second after a burst of 5, by a token bucket',
    { kind: 'token-bucket', ratePerSecond: exactly(1), capacity: exactly(5) },
  ],
  [
    'one request every 4.00 s after a burst of 5, by a leaky bucket, which delays what is beyond it',
    { kind: 'leaky-bucket', delaying: true, ratePerSecond: exactly(0.25), capacity: exactly(5) },
  ],
])('%s', (words, limit) => {
  expect(limitWords({ ...NONE, ...limit })).toBe(words)
})

test('what is not known within 5 %, or a count that is not exact, is told as its interval', () => {
  const penalty = withOpen({
    ...NONE,
    kind: 'penalty',
    limit: exactly(56),
    windowMs: { value: 6_092, low: 3_813, high: 13_889 },
    blockMs: { value: 94_993, low: 94_950, high: 95_040 },
  })
  expect(penalty.open).toEqual(['windowMs'])
  expect(limitWords({ ...NONE, ...penalty })).toBe(
    'more than 56 requests in 3.8 to 13.9 s is answered by a block of 95.0 s',
  )
  const openOf = (limit: Partial<OperationLimit>): unknown => withOpen({ ...NONE, ...limit }).open
  expect(openOf({ windowMs: { value: 100, low: 95.5, high: 104.5 } })).toEqual([])
  expect(openOf({ windowMs: { value: 100, low: 94, high: 104.5 } })).toEqual(['windowMs'])
  expect(openOf({ capacity: { value: 8, low: 7, high: 9 } })).toEqual(['capacity'])
})

test.each([
  [{ value: 60_300, low: 59_900, high: 60_600 }, 60_000],
  [{ value: 5.13, low: 4.99, high: 5.27 }, 5],
  [{ value: 12_310, low: 12_280, high: 12_340 }, 12_300],
  [{ value: 904_000, low: 880_000, high: 930_000 }, 900_000],
  [{ value: 0.4567, low: 0.45665, high: 0.45674 }, 0.4567],
  [{ value: 3, low: 3, high: 3 }, 3],
])('the roundest number in %o is %d', (estimate, rounded) => {
  expect(roundestIn(estimate)).toBe(rounded)
})

const OPEN = { ...UNKNOWN, kind: 'fixed-window', runnerUp: { kind: 'penalty', probability: 0.3 } }
const WINDOW = OPEN as Conclusion['rateLimit']

test.each<[string, Partial<Conclusion>, boolean]>([
  ['64 requests cannot tell a fixed window from a penalty', { outcome: 'budget-spent' }, false],
  [
    'no experiment within the budget can tell a fixed window from a penalty',
    { outcome: 'cannot-tell' },
    false,
  ],
  [
    'the recorded requests cannot tell a fixed window from a penalty',
    { outcome: 'cannot-tell' },
    true,
  ],
  [
    '64 requests cannot confirm a fixed window',
    { outcome: 'budget-spent', rateLimit: { ...WINDOW, runnerUp: null } },
    false,
  ],
  [
    '1 request met no limit; more may meet one',
    { outcome: 'budget-spent', rateLimit: { ...UNKNOWN, kind: 'none' }, requests: 1 },
    false,
  ],
  [
    'the rate is only known as 43 to 59/s',
    { outcome: 'cannot-tell', caveats: [{ code: 'loose', what: 'rate', low: 43, high: 59 }] },
    false,
  ],
])('%s', (message, some, isRecorded) => {
  const conclusion = conclusionWith(WINDOW, { requests: 64, ...some })
  const [reason] = reasonsOf({ ...probedWith('status', conclusion), isRecorded })
  expect(reason).toMatchObject({ message, operation: 'status', recorded: isRecorded })
})

test('a study that was stopped says what speaks against its answer', () => {
  const caveat = { code: 'loose', what: 'rate', low: 43, high: 59 } as const
  const conclusion = conclusionWith(WINDOW, { outcome: 'stopped', caveats: [caveat] })
  expect(reasonsOf(probedWith('status', conclusion))).toEqual([
    {
      code: 'stopped',
      message: 'the rate is only known as 43 to 59/s',
      remedy: 'continue it with crewload resume where the target still stands',
      operation: 'status',
      recorded: false,
      caveat,
    },
  ])
})
