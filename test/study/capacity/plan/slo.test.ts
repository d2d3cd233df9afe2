/** The promises of a search for capacity, as they are written. */
import { expect, test } from 'vitest'
import type { Mistake } from '../../../../src/base/mistakes.ts'
import { criteriaOf } from '../../../../src/study/capacity/plan/slo.ts'

test.each([
  ['execution.p95 > 5m', /bounds from below what must not grow: write < in place of >/],
  ['outcome.unserved >= 2%', /bounds from below what must not grow/],
  ['lateness.p99 < 5ms', /is not known before the load is put on; expected any of/],
  ['execution.p95', /expected promises like/],
])('%s is refused, with the reason', (text, problem) => {
  const mistakes: Mistake[] = []
  expect(criteriaOf(text, mistakes)).toEqual([])
  expect(mistakes.map((mistake) => mistake.problem)).toEqual([expect.stringMatching(problem)])
})

test('promises that bound from above are taken, several at once', () => {
  const mistakes: Mistake[] = []
  const criteria = criteriaOf('execution.p95 < 5m, outcome.unserved <= 2%', mistakes)
  expect(mistakes).toEqual([])
  expect(criteria).toHaveLength(2)
})
