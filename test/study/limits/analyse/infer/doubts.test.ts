import { expect, test } from 'vitest'
import { reasonsFor } from '../../../../../src/study/limits/analyse/infer/doubts.ts'
import { UNKNOWN } from '../../../../../src/study/limits/analyse/infer/finding.ts'

const OPEN = {
  ...UNKNOWN,
  kind: 'fixed-window',
  runnerUp: { kind: 'penalty', probability: 0.3 },
} as const

test.each([
  ['budget-spent', '64 requests do not tell a fixed window from a penalty; more would.'],
  ['cannot-tell', 'No experiment that fits in the budget tells a fixed window from a penalty.'],
] as const)('an open question that ended by %s says what is open', (outcome, reason) => {
  expect(reasonsFor(outcome, OPEN, 64, false)).toEqual([reason])
})

test('what is left is told where there is no rival', () => {
  const alone = { ...OPEN, runnerUp: null }
  const [reason] = reasonsFor('budget-spent', alone, 64, false)
  expect(reason).toBe('64 requests do not tell what is left apart; more would.')
})
