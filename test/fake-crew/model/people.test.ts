/** A crew that asks people: what clients read meanwhile, and what its workers do. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Profile } from '../../../fake-crew/model/profile.ts'
import type { TaskProfile } from '../../../fake-crew/model/work/profile.ts'
import { parseFaults } from '../../../fake-crew/model/parse.ts'
import { Client, bodyOf } from '../client.ts'
import { SECOND, constant, sampleProfile, sampleTask } from '../sample-profile.ts'

const HOUR = 3_600 * SECOND

/** `research` takes 1 s, then a person is asked for 30 s, then `writing` takes 2 s. */
function asking(
  asks: Partial<NonNullable<TaskProfile['asks']>> = {},
  changes: Partial<Profile> = {},
): Profile {
  const { capacity } = sampleProfile()
  const research = {
    ...sampleTask('research', SECOND),
    asks: {
      chance: 1,
      for: constant(30 * SECOND),
      shows: 'paused',
      holdsWorker: false,
      ...asks,
    } as const,
  }
  return sampleProfile({
    dialect: 'platform',
    tasks: [research, sampleTask('writing', 2 * SECOND)],
    capacity: { ...capacity, workers: 1 },
    ...changes,
  })
}

function stateAt(client: Client, id: string, seconds: number): unknown {
  const body = bodyOf(client.status(id, seconds * SECOND)) as { state: unknown; progress: unknown }
  return body.state
}

const COURSE = [0, 0.9, 1, 30.9, 31, 32.9, 33] as const

describe('while a person is asked', () => {
  test.each([
    ['paused', 'PAUSED'],
    ['not-found', 'NOT FOUND'],
  ] as const)('a deployment that shows %s answers %s', (shows, state) => {
    const client = new Client(asking({ shows }))
    const id = client.kickoff()
    const states = COURSE.map((seconds) => stateAt(client, id, seconds))
    expect(states).toEqual(['STARTED', 'STARTED', state, state, 'RUNNING', 'RUNNING', 'SUCCESS'])
  })

  test('the documented dialect, which has no state for it, answers running or 404', () => {
    for (const [shows, status] of [
      ['paused', 200],
      ['not-found', 404],
    ] as const) {
      const client = new Client(asking({ shows }, { dialect: 'interface' }))
      const id = client.kickoff()
      expect(client.status(id, 5 * SECOND).status).toBe(status)
      expect(bodyOf(client.status(id, 31 * SECOND))).toMatchObject({ status: 'running' })
      expect(bodyOf(client.status(id, 33 * SECOND))).toMatchObject({ status: 'completed' })
    }
  })

  test('a follower reads what a request reads', () => {
    const client = new Client(asking({ shows: 'not-found' }, { dialect: 'interface' }))
    const id = client.kickoff()
    const headers = { authorization: 'Bearer org-token' }
    const request = { method: 'GET', path: `/status/${id}`, headers, body: null, address: '::1' }
    const followed = client.crew.follow(request, 0)
    for (const seconds of COURSE) {
      const at = seconds * SECOND
      expect(followed?.answer(at)?.body).toEqual(client.status(id, at).body)
    }
  })

  test('the ledger says so, and until when', () => {
    const client = new Client(asking())
    client.kickoff()
    const at = (seconds: number): unknown => client.crew.ledger(seconds * SECOND).next().value
    expect(at(0.5)).not.toHaveProperty('asked')
    const asked = { task_id: 'research', from_ms: 1_000 }
    expect(at(5)).toMatchObject({ outcome: 'running', asked: [{ ...asked, to_ms: null }] })
    const row = { outcome: 'completed', ended_ms: 33_000, asked: [{ ...asked, to_ms: 31_000 }] }
    expect(at(60)).toMatchObject(row)
  })

  test('a share of the executions asks, the same for the same seed', () => {
    const profile = asking({ chance: 0.3 }, { capacity: sampleProfile().capacity })
    const askedOf = (): number[] => {
      const client = new Client(profile)
      for (let n = 0; n < 400; n++) client.kickoff()
      const rows = [...client.crew.ledger(HOUR)]
      return rows.filter((row) => row.asked !== undefined).map((row) => row.ordinal)
    }
    expect(askedOf().length).toBeGreaterThan(90)
    expect(askedOf().length).toBeLessThan(150)
    expect(askedOf()).toEqual(askedOf())
  })

  test('a restart loses it', () => {
    const restart = 'restart: { loses: running }\nwindow: { from: 5s }'
    const client = new Client(asking({}, { faults: parseFaults(restart, 'faults') }))
    const id = client.kickoff()
    expect(stateAt(client, id, 4)).toBe('PAUSED')
    expect(stateAt(client, id, 60)).toBe('NOT FOUND')
  })
})

describe('its worker', () => {
  test('waits too, if it is held', () => {
    const client = new Client(asking({ holdsWorker: true }))
    const [first, second] = [client.kickoff(), client.kickoff()]
    expect(stateAt(client, second, 32.9)).toBe('PENDING')
    expect(stateAt(client, first, 33)).toBe('SUCCESS')
    expect(stateAt(client, second, 33)).toBe('STARTED')
  })

  test('serves others, and the execution takes its turn again', () => {
    const client = new Client(asking({ holdsWorker: false }))
    const first = client.kickoff()
    expect(stateAt(client, client.kickoff(29.5 * SECOND), 29.5)).toBe('STARTED')
    const third = client.kickoff(30 * SECOND)
    expect(stateAt(client, third, 30.5)).toBe('STARTED')
    // Answered at 31 s, when the worker is with the third for half a second more.
    expect(stateAt(client, first, 31)).toBe('STARTED')
    expect(stateAt(client, first, 31.5)).toBe('RUNNING')
    expect(stateAt(client, first, 33.4)).toBe('RUNNING')
    expect(stateAt(client, first, 33.5)).toBe('SUCCESS')
  })
})

interface Job {
  at: number
  askMs: number
}

/** First come, first served by hand, in milliseconds: 1 s of work, the person, 2 s of work. */
function endsByHand(jobs: readonly Job[], workers: number): number[] {
  const free = Array.from({ length: workers }, () => 0)
  const ends = jobs.map(() => 0)
  const ready = jobs.map(({ at }, job) => ({ at, job, order: job, isBack: false }))
  while (ready.length > 0) {
    ready.sort((a, b) => a.at - b.at || Number(a.isBack) - Number(b.isBack) || a.order - b.order)
    const { at, job, isBack } = ready.shift()!
    free.sort((a, b) => a - b)
    const start = Math.max(at, free.shift()!)
    const end = start + (isBack ? 2_000 : 1_000)
    free.push(end)
    if (isBack) ends[job] = end
    else ready.push({ at: end + jobs[job]!.askMs, job, order: job, isBack: true })
  }
  return ends
}

test('workers take kickoffs and answered executions in the order in which they are ready', () => {
  const gaps = fc.array(fc.integer({ min: 1, max: 1_499 }), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(
      gaps,
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 3, max: 9_999 }),
      (each, workers, askMs) => {
        let at = 0
        // Odd times, so that no kickoff comes in the very moment of an answer.
        const jobs = each.map((gap) => ({ at: (at += gap) + 0.5, askMs }))
        const { capacity } = sampleProfile()
        const client = new Client(
          asking({ for: constant(askMs * 1_000) }, { capacity: { ...capacity, workers } }),
        )
        for (const job of jobs) client.kickoff(job.at * 1_000)
        const rows = [...client.crew.ledger(HOUR)]
        expect(rows.map(({ ended_ms }) => ended_ms)).toEqual(
          endsByHand(jobs, workers).map((end) => expect.closeTo(end, 6) as number),
        )
      },
    ),
    { numRuns: 200, seed: 7 },
  )
})
