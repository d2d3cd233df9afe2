/** How the size of a change is written. */
import { expect, test } from 'vitest'
import { rounded } from '../../../src/study/comparing/sentences.ts'

test.each([
  [100, '100'],
  [110, '110'],
  [-200, '-200'],
  [1_000, '1000'],
  [99.96, '100'],
  [30, '30'],
  [15.24, '15.2'],
  [9.996, '10'],
  [0.5, '0.5'],
  [0.004, '0'],
  [-0.004, '0'],
])('%d is %s', (size, text) => {
  expect(rounded(size)).toBe(text)
})
