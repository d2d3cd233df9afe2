/** The answers to status requests that a crew knows, against those to requests that it reads. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FakeRequest, Reply } from '../../../../fake-crew/model/exchange.ts'
import type { Followed } from '../../../../fake-crew/model/followed.ts'
import type { Profile } from '../../../../fake-crew/model/profile.ts'
import { parseFaults } from '../../../../fake-crew/profiles.ts'
import { areExperimentsRun } from '../../../experiments.ts'
import { Client, TOKENS } from '../../client.ts'
import { SECOND, constant, sampleProfile, sampleTask } from '../../sample-profile.ts'

function statusRequest(id: string, token = TOKENS.organization): FakeRequest {
  const headers = { authorization: `Bearer ${token}` }
  return { method: 'GET', path: `/status/${id}`, headers, body: null, address: '127.0.0.1' }
}

function follow(client: Client, id: string): Followed {
  return client.crew.follow(statusRequest(id), 0)!
}

function taskOf(id: string, chance: number): Profile['tasks'][number] {
  const duration = { kind: 'uniform', min: 0, max: 2 * SECOND } as const
  return { ...sampleTask(id, 0), duration, failure: { chance, message: `${id} went wrong` } }
}

const profiles: fc.Arbitrary<Profile> = fc
  .record({
    seed: fc.nat(1_000),
    dialect: fc.constantFrom('interface' as const, 'platform' as const),
    workers: fc.constantFrom(1, null),
    pool: fc.constantFrom(null, { size: 1 }),
    stuckChance: fc.constantFrom(0, 0.3),
    retentionMicros: fc.constantFrom(null, SECOND),
    chance: fc.constantFrom(0, 0.3),
    speed: fc.constantFrom(1, 7),
  })
  .map(({ workers, pool, chance, ...rest }) => {
    const tasks = ['a', 'b', 'c'].map((id) => taskOf(id, chance))
    const http = {
      latency: {
        inputs: constant(0),
        kickoff: constant(0),
        status: { kind: 'uniform' as const, min: 0, max: SECOND },
      },
      pool,
    }
    const capacity = { ...sampleProfile().capacity, workers }
    return sampleProfile(Object.assign(rest, { tasks, http, capacity }))
  })

/** As a host asks: the crew itself where the execution is no longer known. */
function answered(client: Client, followed: Followed, id: string, atMicros: number): object {
  const content = followed.answer(atMicros)
  if (content === null) return told(client.status(id, atMicros))
  return told({
    ...content,
    body: content.body,
    delayMicros: followed.delayMicros(content, atMicros),
  })
}

function told({
  status,
  body,
  delayMicros,
}: Pick<Reply, 'status' | 'body' | 'delayMicros'>): object {
  return { status, body, delayMicros }
}

test('they are the same at any time', () => {
  const waits = fc.array(fc.oneof(fc.nat(2_000), fc.nat(SECOND)), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(profiles, fc.integer({ min: 1, max: 4 }), waits, (profile, executions, list) => {
      const [knowing, reading] = [new Client(profile), new Client(profile)]
      const ids = Array.from({ length: executions }, () => knowing.kickoff())
      for (const id of ids) expect(reading.kickoff()).toBe(id)
      const id = ids.at(-1)!
      const followed = follow(knowing, id)
      let atMicros = 0
      for (const waitMicros of list) {
        atMicros += waitMicros
        expect(answered(knowing, followed, id, atMicros)).toEqual(
          told(reading.status(id, atMicros)),
        )
      }
      expect([...knowing.crew.ledger(atMicros)]).toEqual([...reading.crew.ledger(atMicros)])
    }),
    { seed: 1, numRuns: areExperimentsRun ? 300 : 100 },
  )
})

test('an answer is one object until the execution changes', () => {
  const client = new Client(sampleProfile())
  const followed = follow(client, client.kickoff())
  const first = followed.answer(0)
  expect(followed.answer(900_000)).toBe(first)
  expect(followed.answer(SECOND)).not.toBe(first)
})

test('an answer counts as a request of the crew', () => {
  const client = new Client(sampleProfile())
  const followed = follow(client, client.kickoff())
  for (const atMicros of [1, 2, 3]) followed.delayMicros(followed.answer(atMicros)!, atMicros)
  expect(client.crew.metrics(3)).toContain(
    'fake_crew_requests_total{operation="status",status="200"} 3',
  )
})

describe('requests are read', () => {
  const plain = sampleProfile()
  test.each([
    ['for an id that was never issued', '00000000-0000-4000-8000-000000000000', undefined],
    ['without a valid token', null, 'guessed'],
  ])('%s', (_, id, token) => {
    const client = new Client(plain)
    const kickoffId = client.kickoff()
    expect(client.crew.follow(statusRequest(id ?? kickoffId, token), 0)).toBeNull()
  })

  test('from the first fault on', () => {
    const client = new Client(plain)
    const followed = follow(client, client.kickoff())
    expect(followed.answer(1)).not.toBeNull()
    client.crew.faults.add(parseFaults('status: { code: 503 }', 'faults'), 2)
    expect(followed.answer(3)).toBeNull()
  })
})
