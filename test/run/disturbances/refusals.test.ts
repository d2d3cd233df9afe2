/**
 * Bad weather, in virtual time: the shipped scenarios for it, cut short and so judged by value,
 * keep their thresholds.
 */
import { expect, test } from 'vitest'
import { run } from '../../../src/run/run.ts'

const SHORTER = {
  chaos: { 'arrivals.for': '4m' },
  // Two windows at the higher load.
  'rate-limit': {
    'arrivals.steps.0.for': '1m',
    'arrivals.steps.1.for': '2m',
    'arrivals.steps.2.for': '1s',
  },
} as const

test.each([
  ['chaos', 'chaos', 500],
  ['rate-limit', 'rate-limited', 429],
] as const)('%s', async (scenario, profile, error) => {
  const set = SHORTER[scenario]
  const { document } = await run(scenario, {
    profile,
    engine: 'virtual',
    judge: 'value',
    out: false,
    set,
  })
  const { outcome, reasons } = document.verdict
  expect([outcome, reasons]).toEqual(['passed', []])
  expect(document.errors).toContainEqual(
    expect.objectContaining({ operation: 'status', answer: error }),
  )
})
