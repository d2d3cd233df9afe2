import { Agent, request } from 'node:http'
import type { IncomingMessage, RequestOptions } from 'node:http'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import type { FakeCrew, FakeCrewOptions, WrittenProfile } from '../../../fake-crew/index.ts'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import type { LedgerRow } from '../../../src/crew/ledger.ts'
import { UserError } from '../../../src/base/mistakes.ts'
import { INPUTS } from '../client.ts'
import { ask, kickoff, started } from '../live-client.ts'
import { SAMPLE, written } from '../sample-profile.ts'

/** For a busy machine. */
const PATIENT = { timeout: 10_000 }

function withLatency(inputs: string): FakeCrewOptions {
  return { profile: { ...SAMPLE, http: { latency: { inputs } } } }
}

/** Over `node:http`, for what fetch does not let through. */
async function rawAsk(
  crew: FakeCrew,
  options: Pick<RequestOptions, 'method' | 'path'>,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${crew.token}` }
    request(crew.url, { ...options, headers, agent: false }, (response) => {
      response.resume()
      resolve(response)
    })
      .on('error', reject)
      .end()
  })
}

describe('over a socket', () => {
  test('an execution is kicked off, polled and told in the ledger', async () => {
    const crew = await started({ speed: 100 })
    const id = await kickoff(crew)
    await expect
      .poll(async () => (await ask(crew, `/status/${id}`)).json(), PATIENT)
      .toMatchObject({ status: 'completed', execution_time: 0.03 })
    expect(crew.ledger()).toMatchObject([{ kickoff_id: id, ordinal: 0, outcome: 'completed' }])
  })

  test('HEAD has the length of GET and no body', async () => {
    const crew = await started()
    const get = await ask(crew, '/inputs')
    const head = await ask(crew, '/inputs', { method: 'HEAD' })
    expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'))
    expect(await head.text()).toBe('')
  })

  test.each([
    ['OPTIONS', '/kickoff', 204, 'POST, OPTIONS'],
    ['OPTIONS', '/inputs', 204, 'GET, HEAD, OPTIONS'],
    ['OPTIONS', '/status/any', 204, 'GET, HEAD, OPTIONS'],
    ['OPTIONS', '*', 204, 'OPTIONS'],
    ['DELETE', '/inputs', 405, 'GET, HEAD, OPTIONS'],
    ['PROPFIND', '/inputs', 405, 'GET, HEAD, OPTIONS'],
  ])('%s %s is %i and names what is allowed', async (method, path, status, allow) => {
    const { statusCode, headers } = await rawAsk(await started(), { method, path })
    expect([statusCode, headers.allow]).toEqual([status, allow])
  })

  test.each([
    ['a path that cannot be decoded', '/status/%zz'],
    ['a very long id', `/status/${'a'.repeat(2_000)}`],
    ['an unknown path', '/nowhere'],
  ])('%s is 404', async (_, path) => {
    expect((await rawAsk(await started(), { path })).statusCode).toBe(404)
  })

  test('a body of no type at all is 415', async () => {
    const init = {
      method: 'POST',
      body: JSON.stringify({ inputs: INPUTS }),
      headers: { 'content-type': ';;' },
    }
    expect((await ask(await started(), '/kickoff', init)).status).toBe(415)
  })

  test('a body that comes in pieces, cut within a character, is read whole', async () => {
    const crew = await started({ speed: 1_000 })
    const headers = { authorization: `Bearer ${crew.token}` }
    const answer = request(`${crew.url}/kickoff`, { method: 'POST', headers })
    const body = Buffer.from('{"inputs":{"topic":"€","audience":"x"}}')
    for (const part of [body.subarray(0, 22), body.subarray(22)]) {
      answer.write(part)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    answer.end()
    const [{ statusCode }] = (await once(answer, 'response')) as [IncomingMessage]
    expect(statusCode).toBe(200)
    const [{ kickoff_id: id }] = crew.ledger() as [LedgerRow]
    await expect
      .poll(async () => (await ask(crew, `/status/${id}`)).text(), PATIENT)
      .toContain('topic: €; audience: x')
  })

  test('a body too large without a token is 401, and the connection stays usable', async () => {
    const crew = await started()
    const init = { method: 'POST', body: 'x'.repeat(100_000), headers: { authorization: 'none' } }
    expect((await ask(crew, '/kickoff', init)).status).toBe(401)
    expect((await ask(crew, '/inputs')).status).toBe(200)
  })

  test('a reply comes after its latency', async () => {
    const crew = await started(withLatency('60ms'))
    const began = performance.now()
    await (await ask(crew, '/inputs')).text()
    expect(performance.now() - began).toBeGreaterThanOrEqual(58)
  })
})

test('the first call to a sleeping crew is slow over HTTP, and the next is not', async () => {
  const coldStart = { delay: '2s', idle: '1m', requests: 'late' } as const
  const crew = await started({ profile: { ...SAMPLE, capacity: { coldStart } } })
  const tookMs = []
  for (let n = 0; n < 2; n++) {
    const sentMs = performance.now()
    expect((await ask(crew, '/inputs')).status).toBe(200)
    tookMs.push(performance.now() - sentMs)
  }
  expect(tookMs[0]).toBeGreaterThan(1_990)
  expect(tookMs[1]).toBeLessThan(1_600)
})

describe('stopping', () => {
  test('answers delayed replies at once', async () => {
    const crew = await started(withLatency('30s'))
    const answers = [1, 2, 3].map(async () => ask(crew, '/inputs'))
    await expect.poll(async () => metric(crew, 'fake_crew_requests_in_flight'), PATIENT).toBe(3)
    const began = performance.now()
    await crew.stop()
    expect(performance.now() - began).toBeLessThan(1_000)
    expect((await Promise.all(answers)).map((answer) => answer.status)).toEqual([200, 200, 200])
  })

  test('does not wait for connections that never asked', async () => {
    const crew = await started()
    const socket = connect(Number(new URL(crew.url).port), '127.0.0.1')
    socket.on('error', () => socket.destroy())
    await new Promise((resolve) => socket.once('connect', resolve))
    const began = performance.now()
    await crew.stop()
    expect(performance.now() - began).toBeLessThan(1_000)
    socket.destroy()
  })

  test('forgets a client that has gone before its reply', async () => {
    const crew = await started(withLatency('30s'))
    const leaving = new AbortController()
    const answer = ask(crew, '/inputs', { signal: leaving.signal }).catch(() => 'gone')
    await expect.poll(async () => metric(crew, 'fake_crew_requests_in_flight'), PATIENT).toBe(1)
    leaving.abort()
    expect(await answer).toBe('gone')
    await expect.poll(async () => metric(crew, 'fake_crew_requests_in_flight'), PATIENT).toBe(0)
  })
})

async function metric(crew: FakeCrew, name: string): Promise<number> {
  const text = await (await fetch(`${crew.url}/__fake__/metrics`)).text()
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))!
      .split(' ')[1],
  )
}

describe('the control', () => {
  test('streams the ledger as NDJSON, one object an execution', async () => {
    const crew = await started()
    const ids = []
    for (let n = 0; n < 3; n++) ids.push(await kickoff(crew))
    const answer = await fetch(`${crew.url}/__fake__/ledger`)
    const lines = (await answer.text()).trimEnd().split('\n')
    const rows = lines.map((line) => JSON.parse(line) as LedgerRow)
    expect(answer.headers.get('content-type')).toMatch('application/x-ndjson')
    expect(rows.map((row) => row.kickoff_id)).toEqual(ids)
    expect(rows[0]).toMatchObject({ ended_ms: null, outcome: 'running' })
  })

  test('tells its clock, anchored in wall time', async () => {
    const crew = await started()
    const answer = await fetch(`${crew.url}/__fake__/clock`)
    const clock = (await answer.json()) as { now_ms: number; anchor_unix_ms: number }
    expect(Math.abs(clock.anchor_unix_ms + clock.now_ms - Date.now())).toBeLessThan(1_000)
  })

  test('replaces the profile and starts anew', async () => {
    const crew = await started()
    await kickoff(crew)
    const put = await fetch(`${crew.url}/__fake__/profile`, {
      method: 'PUT',
      body: 'inputs: [city]\ntasks: [{ id: only, agent: Only, duration: 1s }]\n',
    })
    expect(put.status).toBe(200)
    expect(await (await ask(crew, '/inputs')).json()).toEqual({ inputs: ['city'] })
    expect(crew.ledger()).toEqual([])
  })
})

test('the OpenAPI document stands open and names this very server', async () => {
  const { url } = await started({ dialect: 'platform' })
  const document = await (await fetch(`${url}/openapi.json`)).json()
  expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url }] })
})

describe('starting', () => {
  test('makes up tokens of twelve hexadecimal characters', async () => {
    const { token, userToken } = await started()
    expect([token, userToken]).toEqual([
      expect.stringMatching(/^[\da-f]{12}$/),
      expect.stringMatching(/^[\da-f]{12}$/),
    ])
    expect(token).not.toBe(userToken)
  })

  test('names a port that is taken', async () => {
    const { port } = new URL((await started()).url)
    const again = startFakeCrew({ profile: SAMPLE, port: Number(port) })
    await expect(again).rejects.toThrow(`port ${port} on 127.0.0.1 is in use`)
    await expect(again).rejects.toBeInstanceOf(UserError)
  })

  test('needs an admin token beyond loopback', async () => {
    const open = startFakeCrew({ profile: SAMPLE, host: '0.0.0.0' })
    await expect(open).rejects.toThrow('an address beyond loopback needs an admin token')
  })
})

describe('a request target', () => {
  test.each([
    ['GET', 'http://crew.example/inputs', 200],
    ['GET', 'HTTP://crew.example:81/inputs?a=http://b', 200],
    ['GET', '/%69nput%73', 200],
    ['GET', '/inputs%2F', 404],
    ['GET', 'https://crew.example', 404],
    ['GET', '/http://crew.example/inputs', 404],
    ['TRACE', '/openapi.json', 405],
    ['PROPFIND', '/openapi.json', 405],
    ['TRACE', '/inputs', 405],
    ['QUERY', 'http://crew.example/inputs', 405],
    ['PURGE', '/__fake__/clock', 405],
    ['TRACE', '/nothing', 404],
  ])('%s %s is answered with %d', async (method, path, status) => {
    const crew = await started()
    const answer = await rawAsk(crew, { method, path })
    expect(answer.statusCode).toBe(status)
    expect('allow' in answer.headers).toBe(status === 405)
  })
})

/** The status of an answer, 0 for none. */
async function reached(crew: FakeCrew): Promise<number> {
  try {
    return (await ask(crew, '/inputs')).status
  } catch {
    return 0
  }
}

describe('a crew that takes no connections at first', () => {
  test.each([
    ['refuses', { kind: 'refuse' }],
    ['restarts', { kind: 'restart', loses: 'none' }],
  ] as const)('%s, then serves, and stops at any time', async (_, { kind, ...rest }) => {
    const during = (time: string): WrittenProfile => {
      const window = `window: { from: 0s, for: ${time} }`
      const fault = `{ name: first, ${kind}: ${JSON.stringify(rest)}, ${window} }`
      const text = `tasks: [{ id: a, agent: A, duration: 1s }]\nfaults: [${fault}]`
      return written(text)
    }
    const closed = await startFakeCrew({ profile: during('1h') })
    expect(await reached(closed)).toBe(0)
    await closed.stop()
    const soon = await started({ profile: during('300ms') })
    await expect.poll(async () => reached(soon), PATIENT).toBe(200)
  })
})

/** Over one connection, which a restart leaves to the control. */
async function health({ url }: FakeCrew, agent: Agent): Promise<[number, string]> {
  const asked = request(`${url}/__fake__/health`, { agent }).end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return [response.statusCode!, await text(response)]
}

describe('its health', () => {
  test('is 503 while it restarts, and needs no token', async () => {
    const restart = { restart: { loses: 'none' }, window: { from: '1m', for: '10s' } }
    const profile = { ...SAMPLE, faults: [restart] } as WrittenProfile
    const crew = await started({ profile, clock: 'manual', adminToken: 'secret' })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    expect(await health(crew, agent)).toEqual([200, '{"status":"ready"}'])
    await crew.advance('61s')
    expect(await health(crew, agent)).toEqual([503, '{"status":"not ready"}'])
    await expect(health(crew, new Agent())).rejects.toThrow('ECONNREFUSED')
    await crew.advance('20s')
    expect(await health(crew, agent)).toEqual([200, '{"status":"ready"}'])
    agent.destroy()
  })
})
