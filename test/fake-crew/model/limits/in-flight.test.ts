/**
 * Limits that look at requests in flight: concurrency, and a leaky bucket that holds requests back.
 */
import { describe, expect, test } from 'vitest'
import type { Answered, FakeRequest, Reply } from '../../../../fake-crew/model/exchange.ts'
import { Held } from '../../../../fake-crew/model/exchange.ts'
import { Client, TOKENS, bodyOf, patiently } from '../../client.ts'
import { SECOND } from '../../sample-profile.ts'
import { limited, rule } from './rules.ts'

function asks(): FakeRequest {
  const headers = { authorization: `Bearer ${TOKENS.organization}` }
  return { method: 'GET', path: '/inputs', headers, body: null, address: '127.0.0.1' }
}

function statusOf(client: Client, request: FakeRequest, at: number): number {
  const reply = client.crew.answer(request, at)
  return reply instanceof Held ? 0 : reply.status
}

function heldStatus(
  client: Client,
  id: string,
  at: number,
): { held: Held<Answered>; request: FakeRequest } {
  const headers = { authorization: `Bearer ${TOKENS.organization}` }
  const path = `/status/${id}`
  const request = { method: 'GET', path, headers, body: null, address: '127.0.0.1' }
  const held = client.crew.answer(request, at)
  if (!(held instanceof Held)) throw new Error('is answered at once')
  return { held, request }
}

describe('concurrency', () => {
  const two = rule({ name: 'running', algorithm: { kind: 'concurrency', limit: 2 } })

  test('a request counts until its answer has left, or its client', () => {
    const client = new Client(limited([two]))
    const [first, second, third, fourth] = [0, 0, 0, 0].map(() => asks())
    const said = [first!, second!, third!].map((request) => statusOf(client, request, 0))
    expect(said).toEqual([200, 200, 429])
    client.crew.finished(third!, 10)
    expect(statusOf(client, asks(), 20)).toBe(429)
    client.crew.finished(first!, 30)
    client.crew.finished(first!, 31)
    expect(statusOf(client, fourth!, 40)).toBe(200)
    expect(statusOf(client, asks(), 50)).toBe(429)
  })

  test('nobody knows when it ends', () => {
    const client = new Client(limited([two]))
    client.crew.answer(asks(), 0)
    client.crew.answer(asks(), 0)
    const { status, headers } = client.crew.answer(asks(), 0) as Reply
    expect(status).toBe(429)
    expect(headers).toEqual({
      'content-type': 'application/json; charset=utf-8',
      'ratelimit-policy': '"running";q=2;qu="concurrent-requests"',
      ratelimit: '"running";r=0',
    })
  })

  test('refused requests take room if they count', () => {
    const client = new Client(limited([{ ...two, rejected: 'counted' }]))
    const requests = [0, 0, 0].map(() => asks())
    for (const request of requests) client.crew.answer(request, 0)
    client.crew.finished(requests[0]!, 1)
    expect(statusOf(client, asks(), 2)).toBe(429)
  })
})

describe('a delaying leaky bucket', () => {
  const slow = rule({
    name: 'slow',
    algorithm: {
      kind: 'leaky-bucket',
      rate: { count: 1, perMicros: SECOND },
      burst: 3,
      excess: 'delayed',
    },
  })

  test('holds a request back, and shows the crew as it is then', () => {
    const client = new Client(limited([slow]))
    const id = client.kickoff()
    const { held } = heldStatus(client, id, 0.5 * SECOND)
    expect(held.holdMicros).toBe(0.5 * SECOND)
    const { reply } = patiently(held, 0.5 * SECOND)
    expect(bodyOf(reply)).toMatchObject({ progress: { completed_tasks: 1 } })
    expect(reply.headers['ratelimit']).toBe('"slow";r=3;t=1')
  })

  test('counts a held request as in flight, and its time from its arrival', () => {
    const client = new Client(limited([slow]))
    const id = client.kickoff()
    const { held, request } = heldStatus(client, id, 0)
    expect(client.crew.metrics(0)).toContain('fake_crew_requests_in_flight 1\n')
    held.reply(SECOND)
    client.crew.finished(request, SECOND)
    const metrics = client.crew.metrics(SECOND)
    expect(metrics).toContain('fake_crew_requests_in_flight 0\n')
    expect(metrics).toContain('fake_crew_request_seconds_sum{operation="status"} 1\n')
  })

  test('gives up its room when its client goes', () => {
    const one = rule({ name: 'one', algorithm: { kind: 'concurrency', limit: 1 } })
    const client = new Client(limited([slow, one]))
    const id = client.kickoff()
    const { request } = heldStatus(client, id, 0)
    expect(client.ask('GET', '/inputs', {}, 10).status).toBe(429)
    client.crew.finished(request, 20)
    heldStatus(client, id, 30)
  })

  test('refuses beyond its burst', () => {
    const client = new Client(limited([slow]))
    const id = client.kickoff()
    const waits = [0, 0, 0].map(() => heldStatus(client, id, 0).held.holdMicros)
    expect(waits).toEqual([SECOND, 2 * SECOND, 3 * SECOND])
    expect(client.ask('GET', `/status/${id}`).status).toBe(429)
  })
})
