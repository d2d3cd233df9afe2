/** A budget of time, by the clock on the wall. */
import { expect, test } from 'vitest'
import type { Scenario } from 'crewload/run'
import { run } from 'crewload/run'
import { spent } from '../../support/reasons.ts'

test('is kept by the clock on the wall, the smaller one of scenario and --max-duration', async () => {
  const scenario: Scenario = {
    name: 'short',
    arrivals: { rate: '20/s', for: '1m', process: 'uniform' },
    inputs: { topic: 'bees', audience: 'children' },
    polling: { fixed: '100ms' },
    drain: '500ms',
    budget: { time: '1h' },
    validity: { lateness: '1h', utilisation: 1, little: '100%' },
  }
  const { document } = await run(scenario, {
    profile: 'slow-report',
    out: false,
    set: SLOW,
    budget: { wallMicros: 2_000_000 },
  })
  const { outcomes, reasons, run: told } = document
  expect(told.durationMs).toBeGreaterThan(1_990)
  expect(told.durationMs).toBeLessThan(10_000)
  expect(outcomes.aborted).toBeGreaterThan(0)
  expect(outcomes.aborted + outcomes.notReached).toBe(1_200)
  expect([...reasons.aborted!, ...reasons.notReached!].map(({ reason }) => reason)).toEqual([
    spent('time'),
    spent('time'),
  ])
})

/** What the crew of this profile wants to know. */
const SLOW = { inputs: '{"company":"Acme","period":"2026"}' }
