import { expect, test } from 'vitest'
import {
  loosenessOf,
  reasonsFor,
  recordedReasonsFor,
} from '../../../../../src/study/limits/analyse/infer/reasons.ts'
import { UNKNOWN } from '../../../../../src/study/limits/analyse/infer/inferred-limit.ts'

const OPEN = {
  ...UNKNOWN,
  kind: 'fixed-window',
  runnerUp: { kind: 'penalty', probability: 0.3 },
} as const

test.each([
  ['budget-spent', '64 requests do not tell a fixed window from a penalty; more would.'],
  ['cannot-tell', 'No experiment that fits in the budget can tell a fixed window from a penalty.'],
] as const)('an open question that ended by %s says what is open', (outcome, reason) => {
  expect(reasonsFor(outcome, OPEN, 64, false)).toEqual([reason])
})

test('what is not confirmed is told where there is no rival', () => {
  const alone = { ...OPEN, runnerUp: null }
  const [reason] = reasonsFor('budget-spent', alone, 64, false)
  expect(reason).toBe('64 requests do not confirm a fixed window; more would.')
})

test.each([
  [5, '5 requests met no limit; more may meet one.'],
  [1, '1 request met no limit; more may meet one.'],
])(
  'a limit that %i requests did not meet is not called a question of kinds',
  (requests, reason) => {
    const none = { ...UNKNOWN, kind: 'none' } as const
    expect(reasonsFor('budget-spent', none, requests, false)).toEqual([reason])
  },
)

test('of recorded requests, no experiment is spoken of', () => {
  expect(recordedReasonsFor('cannot-tell', OPEN)).toEqual([
    'The recorded requests do not tell a fixed window from a penalty.',
  ])
})

test('a rate or a window that is not known within a quarter of it is no answer', () => {
  const ratePerSecond = { value: 50, low: 43, high: 59 }
  expect(loosenessOf({ ...UNKNOWN, ratePerSecond })).toMatch(
    /^The rate is known as 43\/s to 59\/s only\./,
  )
  const windowMs = { value: 10_000, low: 8_000, high: 11_000 }
  expect(loosenessOf({ ...UNKNOWN, windowMs })).toMatch(
    /^The window is known as 8.00 s to 11.0 s only\./,
  )
})

test('one that is known within a quarter is', () => {
  expect(loosenessOf(UNKNOWN)).toBeNull()
  expect(loosenessOf({ ...UNKNOWN, windowMs: { value: 10, low: 9, high: 11.5 } })).toBeNull()
})
