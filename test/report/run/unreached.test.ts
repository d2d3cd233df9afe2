/** A kickoff that reached nobody was rejected by nobody: the words say so. */
import { expect, test } from 'vitest'
import { outcomeSentence } from '../../../src/report/run/sections/outcomes.ts'
import { steadyDocument } from './sample-document.ts'

test.each([
  [['refused'], true],
  [['dns', 'refused'], true],
  [['refused', 429], false],
  [[429], false],
] as const)('rejected for %j: without a connection is %j', (answers, told) => {
  const rejected = answers.map((answer) => {
    return { reason: { code: 'answer', answer } as const, count: 3 }
  })
  const base = steadyDocument()
  const outcomes = { ...base.outcomes, rejected: 3 }
  const document = { ...base, outcomes, reasons: { ...base.reasons, rejected } }
  const words = `, no connection: ${answers.join(', ')}`
  expect(outcomeSentence(document).includes(words)).toBe(told)
})
