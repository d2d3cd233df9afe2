/** The promises of a search for capacity, as they are written. */
import { expect, test } from 'vitest'
import type { Mistake } from '../../../../src/base/mistakes.ts'
import { criteriaOf } from '../../../../src/study/capacity/plan/plan.ts'

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
