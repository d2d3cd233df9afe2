import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Profile } from '../../../fake-crew/model/profile.ts'
import type { CapacityProfile } from '../../../fake-crew/model/work/profile.ts'
import type { LedgerRow } from '../../../src/crew/ledger.ts'
import { Client, INPUTS, bodyOf } from '../client.ts'
import { SECOND, constant, sampleProfile, sampleTask } from '../sample-profile.ts'
import { rule } from './limits/rules.ts'

const LATER = 1e12
const NO_TOKEN = { authorization: undefined }

function withCapacity(change: Partial<CapacityProfile>, more: Partial<Profile> = {}): Client {
  const profile = sampleProfile(more)
  return new Client({ ...profile, capacity: { ...profile.capacity, ...change } })
}

function startsMs(client: Client): (number | null)[] {
  return [...client.crew.ledger(LATER)].map((row) => row.started_ms)
}

interface Job {
  acceptedMs: number
  startedMs: number
  endedMs: number
}

/** The queue by hand: who waits is counted over all, the free worker is found by a scan. */
function queueByHand(
  arrivalsMs: readonly number[],
  rows: readonly LedgerRow[],
  c: number,
  limit: number,
) {
  const jobs: Job[] = []
  const freeAt = Array.from({ length: c }, () => 0)
  return arrivalsMs.map((acceptedMs) => {
    const worker = freeAt.indexOf(Math.min(...freeAt))
    const startedMs = Math.max(acceptedMs, freeAt[worker]!)
    const waiting = jobs.filter((job) => job.startedMs > acceptedMs).length
    if (startedMs > acceptedMs && waiting >= limit) return null
    const row = rows[jobs.length]!
    const endedMs = startedMs + (row.ended_ms! - row.started_ms!)
    freeAt[worker] = endedMs
    jobs.push({ acceptedMs, startedMs, endedMs })
    return startedMs
  })
}

describe('workers and queue', () => {
  test('start and refuse as a queue simulated by hand does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 1_500 }), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 0, max: 4 }),
        (gapsMs, workers, queueLimit) => {
          const duration = { kind: 'uniform', min: 0, max: 4 * SECOND } as const
          const tasks = [{ ...sampleTask('only', 0), duration }]
          const client = withCapacity({ workers, queueLimit }, { tasks })
          let nowMs = 0
          const arrivalsMs = gapsMs.map((gap) => (nowMs += gap))
          const statuses = arrivalsMs.map((atMs) => client.kickoffReply(atMs * 1_000).status)
          const rows = [...client.crew.ledger(LATER)]
          const expected = queueByHand(arrivalsMs, rows, workers, queueLimit)
          expect(statuses).toEqual(expected.map((start) => (start === null ? 503 : 200)))
          const starts = expected.filter((start) => start !== null)
          expect(rows.map((row) => Math.round(row.started_ms!))).toEqual(starts)
        },
      ),
      { seed: 11, numRuns: 60 },
    )
  })

  test('over the limit say when to come back', () => {
    const client = withCapacity({ workers: 1, queueLimit: 0 })
    client.kickoff()
    const reply = client.kickoffReply()
    expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '7' } })
    expect(bodyOf(reply)).toMatchObject({ error: 'Service Unavailable' })
  })

  test('free a place in the queue at the very microsecond of a start', () => {
    const client = withCapacity({ workers: 1, queueLimit: 1 })
    const times = [0, 1, 3 * SECOND - 1, 3 * SECOND]
    expect(times.map((at) => client.kickoffReply(at).status)).toEqual([200, 200, 503, 200])
  })

  test('show a waiting execution as running with nothing completed', () => {
    const client = withCapacity({ workers: 1 })
    client.kickoff()
    expect(bodyOf(client.status(client.kickoff(), 2 * SECOND))).toEqual({
      status: 'running',
      current_task: 'research',
      progress: { completed_tasks: 0, total_tasks: 2 },
    })
  })

  test('leave a worker to its stuck execution for good', () => {
    const client = withCapacity({ workers: 1 }, { stuckChance: 1 })
    client.kickoff()
    client.kickoff()
    expect(startsMs(client)).toEqual([0, null])
    expect([...client.crew.ledger(LATER)].map((row) => row.outcome)).toEqual(['stuck', 'running'])
  })

  test('do not follow retention: a forgotten execution held its worker all the same', () => {
    const starts = [null, 1].map((retentionMicros) => {
      const client = withCapacity({ workers: 1 }, { retentionMicros })
      for (let n = 0; n < 4; n++) client.kickoff(n * SECOND)
      return startsMs(client)
    })
    expect(starts[0]).toEqual([0, 3_000, 6_000, 9_000])
    expect(starts[1]).toEqual(starts[0])
  })
})

describe('a cold start', () => {
  const coldStart = { delay: constant(4 * SECOND), idleMicros: 10 * SECOND }

  test('delays the first and those that come while the crew wakes', () => {
    const client = withCapacity({ coldStart })
    for (const at of [0, 1, 5]) client.kickoff(at * SECOND)
    expect(startsMs(client)).toEqual([4_000, 4_000, 5_000])
  })

  test('comes again after the idle time, counted from the last end', () => {
    const client = withCapacity({ coldStart })
    client.kickoff(0)
    const endSeconds = 7
    client.kickoff((endSeconds + 10) * SECOND - 1)
    expect(startsMs(client)[1]).toBe(16_999.999)
    const secondEnd = 19_999_999
    client.kickoff(secondEnd + 10 * SECOND)
    expect(startsMs(client)[2]).toBe(33_999.999)
  })

  test('does not fill the queue: workers are free', () => {
    const client = withCapacity({ coldStart, workers: 2, queueLimit: 0 })
    const statuses = [0, 0, 0].map((at) => client.kickoffReply(at).status)
    expect(statuses).toEqual([200, 200, 503])
  })
})

describe('a cold start that requests feel', () => {
  const sleep = { delay: constant(4 * SECOND), idleMicros: 10 * SECOND }
  const late = { coldStart: { ...sleep, requests: { kind: 'late' } } } as const
  const refused = { kind: 'refused', status: 503, retryAfter: true } as const

  test('holds back whatever comes while the crew wakes, and starts it at once then', () => {
    const client = withCapacity(late)
    const body = JSON.stringify({ inputs: INPUTS })
    const first = client.askPatiently('GET', '/inputs', {}, 0)
    const second = client.askPatiently('POST', '/kickoff', { body }, SECOND)
    expect([first, second].map(({ servedMicros }) => servedMicros)).toEqual([4e6, 4e6])
    expect([first, second].map(({ reply }) => reply.status)).toEqual([200, 200])
    expect(startsMs(client)).toEqual([4_000])
    expect(client.ask('GET', '/inputs', {}, 4 * SECOND).status).toBe(200)
    expect(client.crew.metrics(5 * SECOND)).toMatch(/_sum\{operation="kickoff"\} 3\n/)
  })

  test('comes again after idle time, which requests end like executions', () => {
    const client = withCapacity(late)
    const served = [0, 13, 22, 33].map((at) => {
      const { servedMicros } = client.askPatiently('GET', '/inputs', {}, at * SECOND)
      return servedMicros / SECOND
    })
    expect(served).toEqual([4, 13, 22, 37])
  })

  test('is refused with how long it takes, and awake for who comes back then', () => {
    const client = withCapacity({ coldStart: { ...sleep, requests: refused } }, { speed: 2 })
    const early = [0, 1_500_000].map((at) =>
      client.ask('GET', '/inputs', { headers: NO_TOKEN }, at),
    )
    expect(early.map(({ status }) => status)).toEqual([503, 503])
    expect(early.map(({ headers }) => headers['retry-after'])).toEqual(['2', '1'])
    expect(bodyOf(early[0]!)).toMatchObject({ error: 'Service Unavailable' })
    expect(client.kickoffReply(2 * SECOND).status).toBe(200)
    expect(startsMs(client)).toEqual([2_000])
    expect(client.crew.refusals.all().map(({ refused_by: by }) => by)).toEqual([
      'cold start',
      'cold start',
    ])
  })

  test.each([502, 504] as const)(
    'is refused with %d, and says nothing if so configured',
    (status) => {
      const requests = { ...refused, status, retryAfter: false }
      const client = withCapacity({ coldStart: { ...sleep, requests } }, { dialect: 'platform' })
      const reply = client.kickoffReply()
      expect(reply.status).toBe(status)
      expect(reply.headers).not.toHaveProperty('retry-after')
    },
  )

  test('leaves paths alone that are none of the interface, and methods that ask for nothing', () => {
    const client = withCapacity({ coldStart: { ...sleep, requests: refused } })
    expect(client.ask('GET', '/health').status).toBe(404)
    expect(client.ask('OPTIONS', '/inputs').status).toBe(204)
    expect(client.ask('GET', '/inputs').headers['retry-after']).toBe('4')
  })

  test('comes before a limit that holds back too', () => {
    const algorithm = { kind: 'leaky-bucket', burst: 1, excess: 'delayed' } as const
    const slow = rule({ algorithm: { ...algorithm, rate: { count: 1, perMicros: SECOND } } })
    const limits = { bodyBytes: 1_000, headers: 'none', rules: [slow] } as const
    const client = withCapacity(late, { limits })
    const answers = [0, 0].map(() => client.askPatiently('GET', '/inputs'))
    expect(answers.map(({ servedMicros }) => servedMicros / SECOND)).toEqual([4, 5])
  })
})
