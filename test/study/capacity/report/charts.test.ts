/** What the heading of the service times claims, and what it leaves to chance. */
import { expect, test } from 'vitest'
import { serviceFinding } from '../../../../src/study/capacity/report/charts.ts'

const full = { mean: 100_000, n: 3_000 }

test.each([
  [{ mean: 98_000, n: 80 }, 1, 'as long while the crew is full, as far as chance lets tell'],
  [{ mean: 60_000, n: 80 }, 1, '66.7 % longer while the crew is full'],
  [{ mean: 98_000, n: 3_000 }, 0.1, '2.04 % longer while the crew is full'],
  [{ mean: 160_000, n: 80 }, 1, '37.5 % less while the crew is full'],
])('against %o with a variation of %d, executions take %s', (idle, cv, words) => {
  expect(serviceFinding(full, idle, cv)).toBe(`Executions take ${words}`)
})
