/** How many connections a run opened ahead, as its `run` line lets it be told later. */
import { expect, test } from 'vitest'
import { openedAhead } from '../../../src/run/simulation.ts'
import { describePlan } from '../../../src/scenario/plan-data.ts'
import { testPlan } from '../../support/plan.ts'

test.each([
  ['all', 'node', { maxConnections: 40, preOpenConnections: 10 }, 10],
  ['never more than it may have', 'node', { maxConnections: 4, preOpenConnections: 10 }, 4],
  ['virtual time as Node', 'virtual', { maxConnections: 40, preOpenConnections: 10 }, 10],
  ['k6 none', 'k6', { maxConnections: 40, preOpenConnections: 10 }, 0],
] as const)('%s', (_, engine, http, expected) => {
  const plan = describePlan(testPlan({ http }))
  expect(openedAhead({ engine, plan })).toBe(expected)
})
