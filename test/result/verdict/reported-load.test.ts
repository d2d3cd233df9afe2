/** The load of a crew by the times that it reports. */
import { expect, test } from 'vitest'
import { reportedLoad } from '../../../src/result/verdict/crew-load.ts'

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
