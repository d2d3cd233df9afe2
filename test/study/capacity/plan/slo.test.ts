/** The promises of a search for capacity, as they are written. */
import { expect, test } from 'vitest'
import type { Mistake } from '../../../../src/base/mistakes.ts'
import { criteriaOf } from '../../../../src/study/capacity/plan/plan.ts'

test.each([
  [
    'execution.p95 > 5m',
    /sets a lower bound on a metric that should be small: write < instead of >/,
  ],
  ['outcome.unserved >= 2%', /sets a lower bound on a metric that should be small/],
  ...[
    'lateness.p99 < 5ms',
    'execution.mean < 10s',
    'detectionDelay.p95 < 5s',
    'outcome.lost < 1%',
    'kickoff.response.p95 < 1s',
  ].map((text): [string, RegExp] => [text, /is unknown before the load is applied; expected one/]),
  ['execution.p95', /expected promises like/],
])('%s is refused, with the reason', (text, problem) => {
  const mistakes: Mistake[] = []
  expect(criteriaOf({ slo: text, run: {} }, mistakes)).toEqual([])
  expect(mistakes.map((mistake) => mistake.problem)).toEqual([expect.stringMatching(problem)])
})

test('promises that bound from above are taken, several at once', () => {
  const mistakes: Mistake[] = []
  const criteria = criteriaOf(
    { slo: 'execution.p95 < 5m, outcome.unserved <= 2%', run: {} },
    mistakes,
  )
  expect(mistakes).toEqual([])
  expect(criteria).toHaveLength(2)
})

test('a time-lapse divides their times, and leaves shares', () => {
  const slo = 'execution.p95 < 5m, outcome.unserved <= 2%'
  const criteria = criteriaOf({ slo, run: { speed: 60 } }, [])
  expect(criteria.map(({ text }) => text)).toEqual(['execution.p95 < 5s', 'outcome.unserved <= 2%'])
  expect(criteria[0]).toMatchObject({ boundMicros: 5_000_000 })
})
