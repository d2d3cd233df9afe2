/** The load of a crew, by its ledger and by the times that it reports. */
import { expect, test } from 'vitest'
import { crewLoad, reportedLoad } from '../../../src/result/metrics/crew-load.ts'

const HALF_A_SECOND = { accepted: 60, completed: 60, spanMicros: 120_000_000 }

test('the mean of the reported times, times the rate; tasks stand in for an execution', () => {
  const strips = [
    { reportedSeconds: 4, reportedTasks: [{ taskId: 'a', seconds: 1 }] },
    {
      reportedSeconds: null,
      reportedTasks: [
        { taskId: 'a', seconds: 3 },
        { taskId: 'b', seconds: 5 },
      ],
    },
    { reportedSeconds: null, reportedTasks: [] },
  ]
  const load = { executions: 2, meanMs: 6_000, atOnce: 3 }
  expect(reportedLoad(strips, HALF_A_SECOND)).toEqual(load)
})

test('nothing reported, or no rate: no load', () => {
  const reported = [{ reportedSeconds: 4, reportedTasks: [] }]
  expect(reportedLoad([{ reportedSeconds: null, reportedTasks: [] }], HALF_A_SECOND)).toBeNull()
  expect(reportedLoad(reported, null)).toBeNull()
})

test('in a queue that is first come, first served, no part is spared by chance', () => {
  // One worker, 1 s of work, and an arrival each 990 ms: waits grow by 10 ms from one to the next.
  const rows = Array.from({ length: 40 }, (_, i) => ({
    kickoff_id: String(i),
    ordinal: i,
    correlation: `${i % 2 === 0 ? 'own' : 'other'}/${i}`,
    accepted_ms: 990 * i,
    started_ms: 1_000 * i,
    ended_ms: 1_000 * (i + 1),
    outcome: 'completed' as const,
    tasks: [],
    output_hash: null,
  }))
  const load = expect.closeTo(1 / 0.99, 6) as number
  expect(crewLoad(rows, 'own')).toEqual({ workers: 1, load, needed: Infinity })
})
