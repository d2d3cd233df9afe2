/** What each instance of a run opens ahead, as its `run` line lets it be told later. */
import { describe, expect, test } from 'vitest'
import type { RunLine } from '../../src/execution/record/journal-lines.ts'
import { openedAhead, shareOfConnections } from '../../src/run/connections.ts'
import { runLine } from '../../src/run/run-line.ts'
import { TEST_HTTP, testPlan } from '../support/plan.ts'

function line(changes: Partial<RunLine>): RunLine {
  const plan = testPlan({ http: { ...TEST_HTTP, maxConnections: 40, preOpenConnections: 10 } })
  const origin = {
    engine: 'node',
    instance: 0,
    instances: 1,
    target: 'x',
    ownCrew: false,
    anchorUnixMs: 0,
  } as const
  return { ...runLine(plan, { runId: 'r', ...origin }), ...changes }
}

describe('connections opened ahead', () => {
  test.each([
    ['one process opens all', {}, 10],
    ['each of four threads its part, rounded up', { instances: 4 }, 3],
    ['never more than an instance may have', { instances: 100 }, 1],
    ['virtual time as one process', { engine: 'virtual' }, 10],
    ['k6 none', { engine: 'k6', instances: 2 }, 0],
    ['a plan of another version tells of none', { plan: { http: {} } }, 0],
  ] as const)('%s', (_, changes, expected) => {
    expect(openedAhead(line(changes))).toBe(expected)
  })

  test('all instances together have the limit of the run, and one at least each', () => {
    const http = { ...TEST_HTTP, maxConnections: 10 }
    const parts = [0, 1, 2, 3].map((instance) =>
      shareOfConnections(http, { instance, instances: 4 }),
    )
    expect(parts.map(({ maxConnections }) => maxConnections)).toEqual([3, 3, 2, 2])
  })
})
