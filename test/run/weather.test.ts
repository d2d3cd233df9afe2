/** The shipped scenarios of bad weather keep their thresholds, in virtual time, on the profiles that they are made for. */
import { expect, test } from 'vitest'
import { run } from '../../src/run/run.ts'

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
  ['chaos', 'chaos', '500'],
  ['rate-limit', 'rate-limited', '429'],
] as const)('%s', async (scenario, profile, error) => {
  const set = SHORTER[scenario]
  const { document } = await run(scenario, { profile, engine: 'virtual', out: false, set })
  const { outcome, reasons } = document.verdict
  expect([outcome, reasons]).toEqual(['passed', []])
  expect(document.errors).toContainEqual(
    expect.objectContaining({ operation: 'status', class: error }),
  )
})
