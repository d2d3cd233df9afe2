import { expect, test } from 'vitest'
import type { PlainLimit } from '../../../../src/study/limits/document.ts'
import { limitWords } from '../../../../src/study/limits/analyse/words.ts'

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
    'no limit met by 399 requests, 398 of them within a second',
  )
})

test('a window is told with its limit', () => {
  const limit = { ...NONE, kind: 'sliding-log', limit: 60, windowMs: 60_000 } as const
  expect(limitWords(limit)).toBe('60 requests in 60.0 s, by a sliding log')
})
