import { expect, test } from 'vitest'
import type { PlainLimit } from '../../../../src/study/limits/document.ts'
import { limitWords } from '../../../../src/study/limits/analyse/words.ts'
import { openIn } from '../../../../src/study/limits/analyse/operation.ts'

const NONE: PlainLimit = {
  kind: 'none',
  sameAs: [],
  probability: 1,
  rate: null,
  capacity: null,
  limit: null,
  windowMs: null,
  aligned: null,
  concurrency: null,
  blockMs: null,
  delaying: false,
  countsRefused: null,
}

test('a burst without a refusal is not told as a rate that can be kept', () => {
  expect(limitWords({ ...NONE, requests: 399, triedPerSecond: 398 })).toBe(
    'no limit met, at least 398 requests within a second (none of 399 was refused)',
  )
  expect(limitWords({ ...NONE, requests: 5, triedPerSecond: 1 })).toBe(
    'no limit met, at least 1 request within a second (none of 5 was refused)',
  )
})

test('nothing is said of an operation that nothing was sent to', () => {
  expect(limitWords({ ...NONE, requests: 0, triedPerSecond: 0 })).toBe('not probed')
})

test('what uses up the limit of another is not told as without one', () => {
  const scope = {
    token: null,
    path: null,
    address: null,
    sharedWith: ['status' as const],
    tried: [],
  }
  expect(limitWords({ ...NONE, requests: 130, triedPerSecond: 128, scope })).toBe(
    'no limit met but the one of status, at least 128 requests within a second (none of 130 was ' +
      'refused)',
  )
})

test('a window is told with its limit', () => {
  const limit = { ...NONE, kind: 'sliding-log', limit: 60, windowMs: 60_000 } as const
  expect(limitWords(limit)).toBe('60 requests in 60.0 s, by a sliding log')
})

test('what is not known within 5 % is told as its interval', () => {
  const intervals = {
    ratePerSecond: null,
    capacity: null,
    limit: { value: 56, low: 56, high: 56 },
    windowMs: { value: 6_092, low: 3_813, high: 13_889 },
    concurrency: null,
    blockMs: { value: 94_993, low: 94_950, high: 95_040 },
  }
  const open = openIn(intervals)
  expect(open).toEqual(['windowMs'])
  const limit = { ...NONE, kind: 'penalty', limit: 56, windowMs: 6_000, blockMs: 95_000 } as const
  expect(limitWords({ ...limit, intervals, open })).toBe(
    'more than 56 requests in 3.81 s to 13.9 s is answered by a block of 95.0 s',
  )
})

test('a count is open unless it is exact, and a time within 5 % is not', () => {
  const none = { ratePerSecond: null, capacity: null, limit: null, windowMs: null, blockMs: null }
  const windowMs = { value: 100, low: 95.5, high: 104.5 }
  expect(openIn({ ...none, windowMs })).toEqual([])
  expect(openIn({ ...none, windowMs: { ...windowMs, low: 94 } })).toEqual(['windowMs'])
  expect(openIn({ ...none, capacity: { value: 8, low: 7, high: 9 } })).toEqual(['capacity'])
})

test('one request is not told as requests', () => {
  const log = { ...NONE, kind: 'sliding-log', limit: 1, windowMs: 2_000 } as const
  expect(limitWords(log)).toBe('1 request in 2.00 s, by a sliding log')
  const bucket = { ...NONE, kind: 'token-bucket', rate: { count: 1, perMs: 1_000 }, capacity: 5 }
  expect(limitWords({ ...bucket, kind: 'token-bucket' })).toBe(
    'one request per second after a burst of 5, by a token bucket',
  )
})
