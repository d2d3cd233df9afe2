/** How many connections a run opened ahead, as its `run` line lets it be told later. */
import { expect, test } from 'vitest'
import { openedAhead } from '../../../src/run/simulation/simulation.ts'

test.each([
  ['all', 'node', { http: { maxConnections: 40, preOpenConnections: 10 } }, 10],
  [
    'never more than it may have',
    'node',
    { http: { maxConnections: 4, preOpenConnections: 10 } },
    4,
  ],
  ['virtual time as Node', 'virtual', { http: { maxConnections: 40, preOpenConnections: 10 } }, 10],
  ['k6 none', 'k6', { http: { maxConnections: 40, preOpenConnections: 10 } }, 0],
  ['a plan that does not say none', 'node', { http: {} }, 0],
] as const)('%s', (_, engine, plan, expected) => {
  expect(openedAhead({ engine, plan })).toBe(expected)
})
