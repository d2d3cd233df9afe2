/** A kickoff that reached nobody was rejected by nobody: the words say so. */
import { expect, test } from 'vitest'
import { outcomeSentence } from '../../../src/report/run/sections/outcomes.ts'
import { steadyDocument } from './sample-document.ts'

test.each([
  [[{ reason: 'refused', count: 3 }], true],
  [
    [
      { reason: 'dns', count: 2 },
      { reason: 'refused', count: 1 },
    ],
    true,
  ],
  [
    [
      { reason: 'refused', count: 2 },
      { reason: '429', count: 1 },
    ],
    false,
  ],
  [[{ reason: '429', count: 3 }], false],
])('rejected for %j: without a connection is %j', (rejected, told) => {
  const base = steadyDocument(120, 3)
  const outcomes = { ...base.outcomes, rejected: 3 }
  const document = { ...base, outcomes, reasons: { ...base.reasons, rejected } }
  const words = `, no connection: ${rejected.map(({ reason }) => reason).join(', ')}`
  expect(outcomeSentence(document).includes(words)).toBe(told)
})
