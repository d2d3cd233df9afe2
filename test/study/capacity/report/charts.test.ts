/** What figures of a search claim, what they leave to chance, and what they leave out. */
import { expect, test } from 'vitest'
import type { RungTold } from '../../../../src/study/capacity/document.ts'
import { levelsOf, serviceFinding } from '../../../../src/study/capacity/report/charts.ts'

const full = { mean: 100_000, n: 3_000 }

test.each([
  [
    { mean: 98_000, n: 80 },
    1,
    'about as long in a full crew as in a half-empty one; chance may explain the difference',
  ],
  [{ mean: 60_000, n: 80 }, 1, '66.7 % longer while the crew is full'],
  [{ mean: 98_000, n: 3_000 }, 0.1, '2.04 % longer while the crew is full'],
  [{ mean: 160_000, n: 80 }, 1, '37.5 % less while the crew is full'],
])('against %o with a variation of %d, executions take %s', (idle, cv, words) => {
  expect(serviceFinding(full, idle, cv)).toBe(`Executions take ${words}`)
})

function rung(clients: number, executions: number, perHour: number): RungTold {
  return {
    clients,
    executions,
    perHour,
    running: clients,
    waited: 0,
    stay: null,
    littleResidual: null,
    failed: 0,
    refused: 0,
    kickoffMs: null,
    pollMs: null,
  }
}

test('rungs of as many clients are one point, and one without a second execution is none', () => {
  const ladder = [
    rung(8, 24, 120),
    rung(2, 6, 60),
    rung(32, 32, 50),
    rung(8, 8, 40),
    rung(8, 72, 90),
  ]
  expect(levelsOf(ladder)).toEqual([
    { clients: 2, executions: 6, perHour: 60 },
    // 24 in 12 minutes and 72 in 48.
    { clients: 8, executions: 96, perHour: 96 },
  ])
})
