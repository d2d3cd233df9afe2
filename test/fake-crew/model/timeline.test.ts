import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Profile } from '../../../fake-crew/model/profile.ts'
import type {
  CompletedBody,
  ErrorStatusBody,
  PlatformStatusBody,
  RunningBody,
} from '../../../src/crew/wire.ts'
import { Client, bodyOf } from '../client.ts'
import { SECOND, sampleProfile, sampleTask } from '../sample-profile.ts'

const HOUR = 3_600 * SECOND

/** Tasks of every kind of duration, some of which fail. */
const VARIED: Profile['tasks'] = [
  { ...sampleTask('a', 0), duration: { kind: 'lognormal', median: SECOND, p95: 4 * SECOND } },
  {
    ...sampleTask('b', 0),
    duration: { kind: 'gamma', mean: SECOND, cv: 2 },
    failure: { chance: 0.3, message: 'b went wrong' },
  },
  { ...sampleTask('c', 0), duration: { kind: 'uniform', min: 0, max: 3 * SECOND } },
]

function statusAt(
  client: Client,
  id: string,
  atMicros: number,
): RunningBody | CompletedBody | ErrorStatusBody {
  return bodyOf(client.status(id, atMicros)) as ReturnType<typeof statusAt>
}

describe('an execution', () => {
  test.each([
    [0, 'research', 0],
    [999_999, 'research', 0],
    [1_000_000, 'writing', 1],
    [2_999_999, 'writing', 1],
  ])('at %i us is in task %s with %i completed', (atMicros, task, completed) => {
    const client = new Client(sampleProfile())
    expect(statusAt(client, client.kickoff(), atMicros)).toEqual({
      status: 'running',
      current_task: task,
      progress: { completed_tasks: completed, total_tasks: 2 },
    })
  })

  test('is completed at the microsecond of its end, with the times of its tasks', () => {
    const client = new Client(sampleProfile())
    const body = statusAt(client, client.kickoff(), 3 * SECOND) as CompletedBody
    expect(body).toMatchObject({ status: 'completed', execution_time: 3 })
    expect(body.result.tasks).toMatchObject([
      { task_id: 'research', agent: 'research agent', execution_time: 1 },
      { task_id: 'writing', agent: 'writing agent', execution_time: 2 },
    ])
    expect(body.result.output).toBe(body.result.tasks[1]!.output)
  })

  test('that fails tells the failing task, and the time until the failure inside it', () => {
    const failing = { ...sampleTask('writing', 2 * SECOND), failure: { chance: 1, message: 'no' } }
    const tasks = [sampleTask('research', SECOND), failing, sampleTask('never', SECOND)]
    const client = new Client(sampleProfile({ tasks }))
    const body = statusAt(client, client.kickoff(), HOUR)
    expect(body).toMatchObject({ status: 'error', error: 'no' })
    const [row] = client.crew.ledger(HOUR)
    expect(row).toMatchObject({ outcome: 'failed', output_hash: null })
    expect(row!.tasks).toEqual([{ task_id: 'research', execution_time: 1 }])
    expect(row!.ended_ms).toBeGreaterThanOrEqual(1_000)
    expect(row!.ended_ms).toBeLessThanOrEqual(3_000)
  })

  test('that is stuck stays running in its last task', () => {
    const client = new Client(sampleProfile({ stuckChance: 1 }))
    const id = client.kickoff()
    expect(statusAt(client, id, 1000 * HOUR)).toEqual({
      status: 'running',
      current_task: 'writing',
      progress: { completed_tasks: 1, total_tasks: 2 },
    })
    const outcomes = [2 * SECOND, 3 * SECOND].map((at) => [...client.crew.ledger(at)][0]!.outcome)
    expect(outcomes).toEqual(['running', 'stuck'])
  })

  test('answers the same bytes ever after its end', () => {
    for (const dialect of ['interface', 'platform'] as const) {
      const client = new Client(sampleProfile({ dialect }))
      const id = client.kickoff()
      const [first, later] = [3 * SECOND, 3 * HOUR].map((at) => client.status(id, at).body)
      expect(first).toBe(later)
    }
  })

  test('is gone after its retention, and its ledger row stays', () => {
    const client = new Client(sampleProfile({ retentionMicros: 10 * SECOND, speed: 2 }))
    const id = client.kickoff()
    const endMicros = 1.5 * SECOND
    const statuses = [-1, 0].map((late) => client.status(id, endMicros + 5 * SECOND + late).status)
    expect(statuses).toEqual([200, 404])
    expect([...client.crew.ledger(HOUR)]).toHaveLength(1)
  })
})

test('reported times, task times and the ledger agree to the millisecond', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1_000 }),
      fc.constantFrom(1, 7, 60),
      fc.integer({ min: 1, max: 3 }),
      (seed, speed, workers) => {
        const profile = sampleProfile({ seed, speed, tasks: VARIED })
        const client = new Client({ ...profile, capacity: { ...profile.capacity, workers } })
        const ids = Array.from({ length: 5 }, (_, n) => client.kickoff(n * 123_457))
        const rows = [...client.crew.ledger(HOUR)]
        for (const [n, id] of ids.entries()) {
          const body = statusAt(client, id, HOUR)
          const row = rows[n]!
          if (body.status === 'running') throw new Error('still running')
          const spanMs = row.ended_ms! - row.started_ms!
          expect(body.execution_time * 1_000).toBeCloseTo(spanMs, 6)
          if (body.status === 'error') continue
          const sumMs = row.tasks.reduce((sum, task) => sum + task.execution_time * 1_000, 0)
          expect(sumMs).toBeCloseTo(spanMs, 6)
          expect(body.result.tasks.map((task) => task.execution_time)).toEqual(
            row.tasks.map((task) => task.execution_time),
          )
        }
      },
    ),
    { seed: 8, numRuns: 40 },
  )
})

/**
 * Id, outcome and milliseconds of work of twenty executions, with other requests in between or
 * without.
 */
function services(disturb: boolean): (number | string)[][] {
  const client = new Client(sampleProfile({ tasks: VARIED }))
  for (let n = 0; n < 20; n++) {
    const id = client.kickoff(n * SECOND)
    if (!disturb) continue
    client.status(id, n * SECOND)
    client.ask('GET', '/inputs')
    client.ask('POST', '/kickoff', { body: 'nonsense' }, n * SECOND)
  }
  return [...client.crew.ledger(HOUR)].map((row) => [
    row.kickoff_id,
    row.outcome,
    row.ended_ms! - row.started_ms!,
  ])
}

test('what an execution needs depends on seed and ordinal, not on requests in between', () => {
  expect(services(true)).toEqual(services(false))
})

test('speed divides the time of every task', () => {
  const client = new Client(sampleProfile({ speed: 60 }))
  const body = statusAt(client, client.kickoff(), HOUR) as CompletedBody
  expect(body.result.tasks.map((task) => task.execution_time)).toEqual([0.017, 0.033])
  expect(body.execution_time).toBe(0.05)
})

test('the platform dialect tells the same timeline in its own states', () => {
  const profile = sampleProfile({ dialect: 'platform' })
  const client = new Client({ ...profile, capacity: { ...profile.capacity, workers: 1 } })
  client.kickoff()
  const id = client.kickoff()
  const at = (seconds: number): PlatformStatusBody =>
    bodyOf(client.status(id, seconds * SECOND)) as PlatformStatusBody
  expect([0, 3, 4, 6].map((seconds) => at(seconds).state)).toEqual([
    'PENDING',
    'STARTED',
    'RUNNING',
    'SUCCESS',
  ])
  expect([0, 3, 4, 6].map((seconds) => at(seconds).status)).toEqual([
    'Task is pending',
    null,
    null,
    null,
  ])
  expect(at(3).last_executed_task).toBeNull()
  expect(at(4)).toMatchObject({
    status: null,
    result: null,
    last_executed_task: {
      task_id: 'research',
      agent: 'research agent',
      output: expect.stringMatching(/^Execution 1, research\./),
    },
    progress: {
      unit: 'task',
      completed: 1,
      total: 2,
      remaining: 1,
      current: 'writing',
      current_agent: 'writing agent',
      started_at: '1970-01-01T00:00:03.000Z',
      updated_at: '1970-01-01T00:00:04.000Z',
      duration_seconds: 1,
    },
  })
  expect(at(7)).toMatchObject({
    result: /Execution 1, writing/.exec(at(7).result!)!.input,
    last_executed_task: { task_id: 'writing', output: at(7).result },
    progress: { remaining: 0, current: null, duration_seconds: 3 },
  })
})
