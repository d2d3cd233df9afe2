import { expect, test } from 'vitest'
import { isRefusal } from '../../src/crew/answer.ts'

test.each([
  [429, false, true],
  [529, false, true],
  [503, false, false],
  [503, true, true],
  [403, false, false],
  [403, true, true],
  [500, true, false],
  [200, true, false],
  ['timeout', true, false],
] as const)('%s, which asks to wait: %s, is a refusal: %s', (answer, asksToWait, refused) => {
  expect(isRefusal(answer, asksToWait)).toBe(refused)
})
