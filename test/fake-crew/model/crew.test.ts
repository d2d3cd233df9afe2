import { describe, expect, test } from 'vitest'
import { fingerprint } from '../../../src/base/fingerprint.ts'
import type { CompletedBody } from '../../../src/crew/wire.ts'
import { Client, INPUTS, TOKENS, bodyOf } from '../client.ts'
import { SECOND, sampleProfile } from '../sample-profile.ts'

describe('a well-behaved server', () => {
  test('answers HEAD as GET without the body, and tells its length', () => {
    const client = new Client(sampleProfile())
    const id = client.kickoff(0, { topic: 'mar é', audience: '世界' })
    const get = client.status(id, 3 * SECOND)
    const head = client.ask('HEAD', `/status/${id}`, {}, 3 * SECOND)
    expect(head.body).toBeNull()
    expect(head.headers).toEqual({
      ...get.headers,
      'content-length': String(new TextEncoder().encode(get.body!).length),
    })
  })

  test.each([
    ['unknown fields and null URLs', { inputs: INPUTS, taskWebhookUrl: null, extra: 1 }],
    ['inputs that are no strings', { inputs: { topic: 3, audience: null } }],
  ])('lets pass %s', (_, body) => {
    const reply = new Client(sampleProfile()).ask('POST', '/kickoff', {
      body: JSON.stringify(body),
    })
    expect(reply.status).toBe(200)
  })

  test.each(['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/vnd.x+json'])(
    'takes a body of %s',
    (type) => {
      const reply = new Client(sampleProfile()).ask('POST', '/kickoff', {
        body: JSON.stringify({ inputs: INPUTS }),
        headers: { 'content-type': type },
      })
      expect(reply.status).toBe(200)
    },
  )

  test('lets a user token do what the profile says', () => {
    const client = new Client(sampleProfile())
    const headers = { authorization: `Bearer ${TOKENS.user}` }
    expect(client.ask('GET', '/inputs', { headers }).status).toBe(200)
  })
})

test('who presents another token than the one before is taken for who he is', () => {
  const client = new Client(sampleProfile())
  const statuses = [TOKENS.user, 'nobody', 'nobody', TOKENS.organization].map((token) => {
    const headers = { authorization: `Bearer ${token}` }
    return client.ask('GET', '/inputs', { headers }).status
  })
  expect(statuses).toEqual([200, 401, 401, 200])
  expect(client.ask('GET', '/inputs', { headers: { authorization: undefined } }).status).toBe(401)
})

describe('the ledger', () => {
  test('tells a running execution without an end', () => {
    const client = new Client(sampleProfile())
    const headers = { 'x-correlation-id': 'run-1/0' }
    const body = JSON.stringify({ inputs: INPUTS })
    const { kickoff_id } = bodyOf(client.ask('POST', '/kickoff', { body, headers }, 500)) as {
      kickoff_id: string
    }
    expect([...client.crew.ledger(1.5 * SECOND)]).toEqual([
      {
        kickoff_id,
        ordinal: 0,
        correlation: 'run-1/0',
        accepted_ms: 0.5,
        started_ms: 0.5,
        ended_ms: null,
        outcome: 'running',
        tasks: [{ task_id: 'research', execution_time: 1 }],
        output_hash: null,
      },
    ])
  })

  test('has the hash of the output that the client got', () => {
    const client = new Client(sampleProfile())
    const { result } = bodyOf(client.status(client.kickoff(), 3 * SECOND)) as CompletedBody
    const [row] = client.crew.ledger(3 * SECOND)
    expect(row!.output_hash).toBe(fingerprint(result.output))
  })
})

test('metrics count requests, executions, queue and workers', () => {
  const profile = sampleProfile()
  const client = new Client({ ...profile, capacity: { ...profile.capacity, workers: 1 } })
  client.kickoff()
  client.kickoff()
  client.ask('GET', '/nowhere')
  const lines = client.crew.metrics(SECOND).split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      '# TYPE fake_crew_requests_total counter',
      'fake_crew_requests_total{operation="kickoff",status="200"} 2',
      'fake_crew_requests_total{operation="other",status="404"} 1',
      'fake_crew_requests_in_flight 0',
      'fake_crew_request_seconds_count{operation="kickoff"} 2',
      'fake_crew_executions{state="queued"} 1',
      'fake_crew_executions{state="running"} 1',
      'fake_crew_queue_length 1',
      'fake_crew_busy_workers 1',
    ]),
  )
})

test.each([
  ['deeper than anything is read', 5_000, 422, 0],
  ['one too deep', 63, 422, 0],
  ['as deep as is allowed', 62, 200, 1],
])('inputs nested %s cost no answer and no ledger row', (_, depth, status, started) => {
  const client = new Client({
    ...sampleProfile(),
    limits: { ...sampleProfile().limits, bodyBytes: 20_000 },
  })
  const before = client.kickoff()
  const body = `{"inputs":{"topic":${'['.repeat(depth)}${']'.repeat(depth)},"audience":"b"}}`
  const reply = client.ask('POST', '/kickoff', { body })
  expect(reply.status).toBe(status)
  expect(client.status(before, 10 * SECOND).status).toBe(200)
  expect([...client.crew.ledger(10 * SECOND)]).toHaveLength(1 + started)
})
