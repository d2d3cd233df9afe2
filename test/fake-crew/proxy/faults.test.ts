/**
 * Each fault that can be in front of a target: what the client gets, and what the target has seen
 * of it.
 */
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startFakeProxy } from '../../../fake-crew/index.ts'
import type { FaultMark } from '../../../src/crew/ledger.ts'
import type { Proxy, Target } from './support.ts'
import { Client, PATIENT, crewOfFewWords, startProxy, startTarget } from './support.ts'

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const BROKEN = /^(ECONNRESET|UND_ERR_SOCKET)$/
const NOTHING = 'nothing'
/** With what may never come, once the fault has struck. */
const PATIENCE_MS = 300

let target: Target
let proxy: Proxy

beforeAll(async () => {
  target = await startTarget()
  proxy = await startProxy(target.url)
})

afterAll(async () => {
  await proxy[Symbol.asyncDispose]()
  await target[Symbol.asyncDispose]()
})

async function weather(fault: string): Promise<void> {
  await fetch(`${proxy.url}/__fake__/reset`, { method: 'POST' })
  const answer = await fetch(`${proxy.url}/__fake__/faults`, { method: 'POST', body: fault })
  expect([answer.status, await answer.text()]).toEqual([201, expect.any(String)])
  target.seen.length = 0
}

async function marks(): Promise<FaultMark[]> {
  const text = await (await fetch(`${proxy.url}/__fake__/faults/marks`)).text()
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as FaultMark]))
}

/** What comes of a poll. */
async function poll(client: Client): Promise<number | string> {
  return client.outcome(`${proxy.url}/status/id-0`)
}

/** As `poll`, of one that a fault has struck; 'nothing' for one that stays without an end. */
async function pollUnderFault(client: Client): Promise<number | string> {
  const outcome = poll(client)
  await expect.poll(async () => (await marks()).length, PATIENT).toBe(1)
  return Promise.race([outcome, sleep(PATIENCE_MS, NOTHING)])
}

describe('a poll that is struck by', () => {
  test.each<[fault: string, outcome: number | string | RegExp, reachesTarget: boolean]>([
    ['status: { code: 503 }', 503, false],
    ['status: { code: 503, carriedOut: true }', 503, true],
    ['latency: 10ms', 200, true],
    ['reset: { at: before }', 'ECONNRESET', true],
    ['reset: { at: before, carriedOut: false }', 'ECONNRESET', false],
    ['reset: { at: during }', BROKEN, true],
    ['reset: { at: after }', 200, true],
    ['empty: {}', 'UND_ERR_SOCKET', true],
    ['empty: { carriedOut: false }', 'UND_ERR_SOCKET', false],
    ['truncate: {}', BROKEN, true],
    ['malformed: {}', 200, true],
    ['contentType: text/html', 200, true],
    ['drip: { pieces: 3, over: 20ms }', 200, true],
    ['denied: {}', 401, false],
    ['clockSkew: { behind: 1h }', 200, true],
    ['stall: {}', NOTHING, true],
    ['hang: {}', NOTHING, true],
    ['hang: { carriedOut: false }', NOTHING, false],
  ])('%s', async (fault, outcome, reachesTarget) => {
    await weather(fault)
    await using client = new Client()
    const got = await pollUnderFault(client)
    expect(String(got)).toMatch(outcome instanceof RegExp ? outcome : RegExp(`^${outcome}$`))
    expect(target.seen).toHaveLength(reachesTarget ? 1 : 0)
    const [mark, ...others] = await marks()
    expect(mark).toMatchObject({ fault: fault.split(':')[0], operation: 'status' })
    expect(others).toEqual([])
  })
})

describe('an answer', () => {
  test.each<[fault: string, name: string, value: RegExp]>([
    ['contentType: text/html', 'content-type', /^text\/html$/],
    ['clockSkew: { behind: 1000h }', 'date', /GMT$/],
    ['status: { code: 503, headers: { retry-after: "5" } }', 'retry-after', /^5$/],
    ['denied: { why: expired }', 'www-authenticate', /expired/],
  ])('under %s has its %s', async (fault, name, value) => {
    await weather(fault)
    await using client = new Client()
    const { headers } = await client.ask(`${proxy.url}/status/id-0`)
    expect(headers[name]).toMatch(value)
    const hours = (Date.now() - Date.parse(headers.date!)) / 3_600_000
    expect(Math.round(hours)).toBe(fault.startsWith('clockSkew') ? 1_000 : 0)
  })

  test('that is malformed is half of it', async () => {
    await weather('malformed: {}')
    await using client = new Client()
    const { body } = await client.ask(`${proxy.url}/status/id-0`)
    expect(body).toMatch(/^{"status":"running".*[^}]<$/)
  })

  test('that is late is late by what was drawn', async () => {
    await weather('latency: 120ms')
    await using client = new Client()
    const began = performance.now()
    expect((await client.ask(`${proxy.url}/status/id-0`)).status).toBe(200)
    expect(performance.now() - began).toBeGreaterThanOrEqual(119)
  })

  test('keeps each cookie, and is asked for plain', async () => {
    await using cookies = await startTarget((request, response) => {
      response.setHeader('set-cookie', ['a=1', 'b=2'])
      response.end(request.headers['accept-encoding'])
    })
    await using through = await startProxy(cookies.url, 'faults: [latency: 1ms]')
    await using client = new Client()
    const headers = { 'accept-encoding': 'gzip' }
    const answer = await client.ask(`${through.url}/inputs`, { headers })
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2'])
    expect(answer.body).toBe('identity')
  })

  const MANY = 9 * 1024 * 1024
  test.each<[string, Buffer, Record<string, string>]>([
    ['is compressed', Buffer.from('text'), { 'content-encoding': 'gzip' }],
    ['is no text', Buffer.from([0xff, 0xfe, 0x00]), {}],
    ['is too long', Buffer.alloc(MANY, 'x'), {}],
  ])('that %s goes through as it is, and is not marked', async (_, body, headers) => {
    await using odd = await startTarget((__, response) =>
      response.writeHead(200, headers).end(body),
    )
    await using through = await startProxy(odd.url, 'faults: [{ truncate: {} }]')
    const answer = await request(`${through.url}/inputs`)
    expect(Buffer.from(await answer.body.arrayBuffer()).equals(body)).toBe(true)
    expect(await (await fetch(`${through.url}/__fake__/faults/marks`)).text()).toBe('')
  })

  test('that its target breaks off is broken off, whatever else there is', async () => {
    await using broken = await startTarget((_, response) => {
      response.writeHead(200, { 'content-length': '10' })
      response.write('12345', () => response.socket!.end())
    })
    await using through = await startProxy(broken.url, 'faults: [{ contentType: text/html }]')
    await using client = new Client()
    expect(await client.outcome(`${through.url}/inputs`)).toMatch(BROKEN)
  })
})

async function kickoffId(client: Client): Promise<string> {
  return (JSON.parse((await client.kickoff(proxy.url)).body) as { kickoff_id: string }).kickoff_id
}

describe('a kickoff', () => {
  test('that never starts has an id, of which the target knows nothing', async () => {
    await weather('neverStarts: {}')
    await using client = new Client()
    const id = await kickoffId(client)
    expect(id).toMatch(ID)
    expect(target.seen).toEqual([])
    expect((await client.ask(`${proxy.url}/status/${id}`)).status).toBe(404)
    expect(target.seen.map(({ url }) => url)).toEqual([`/status/${id}`])
  })

  test('may be told the id of nobody, or that of the kickoff before', async () => {
    await weather('{ wrongId: {}, nth: 2 }')
    await using client = new Client()
    const ids = [await kickoffId(client), await kickoffId(client)]
    expect(ids).toEqual([expect.stringMatching(/^id-/), expect.stringMatching(ID)])
    await weather('{ wrongId: { of: another }, nth: 2 }')
    const first = await kickoffId(client)
    expect(first).toMatch(/^id-/)
    expect(await kickoffId(client)).toBe(first)
    expect(target.seen).toHaveLength(2)
    const [mark] = await marks()
    expect(mark!.kickoff_id).toMatch(/^id-/)
    expect(mark!.kickoff_id).not.toBe(first)
  })

  test('may be answered by an error, and start', async () => {
    await weather('status: { code: 500, carriedOut: true }')
    await using client = new Client()
    expect((await client.kickoff(proxy.url)).status).toBe(500)
    expect(target.seen.map(({ body }) => body)).toEqual([expect.stringContaining('topic')])
  })

  test('may not be found for a while', async () => {
    await weather('notFound: { for: 300ms }')
    await using client = new Client()
    const id = await kickoffId(client)
    const began = performance.now()
    const status = async (): Promise<number> =>
      (await client.ask(`${proxy.url}/status/${id}`)).status
    expect(await status()).toBe(404)
    expect(target.seen).toHaveLength(1)
    await expect.poll(status, PATIENT).toBe(200)
    expect(performance.now() - began).toBeGreaterThan(200)
  })
})

test('an execution is not found for so long after its kickoff was answered', async () => {
  const crew = crewOfFewWords()
  await using slow = await startTarget((asked, response, body) => {
    setTimeout(() => crew(asked, response, body), asked.method === 'POST' ? 700 : 0)
  })
  const faults = 'faults: [{ notFound: { for: 600ms } }]'
  await using between = await startProxy(slow.url, faults)
  await using client = new Client()
  const { kickoff_id: id } = JSON.parse((await client.kickoff(between.url)).body) as {
    kickoff_id: string
  }
  expect((await client.ask(`${between.url}/status/${id}`)).status).toBe(404)
})

/** What comes of a new connection. */
async function knock(): Promise<string> {
  const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1')
  const told = await new Promise<string>((resolve) => {
    socket.once('connect', () => resolve('connected')).once('error', () => resolve('refused'))
  })
  socket.destroy()
  return told
}

describe('connections', () => {
  test('are refused while it lasts', async () => {
    await weather('{ refuse: {}, window: { for: 400ms } }')
    expect(await knock()).toBe('refused')
    await expect.poll(knock, PATIENT).toBe('connected')
  })

  test('are cut by a restart that loses nothing', async () => {
    await weather('{ hang: {}, operations: [inputs] }')
    await using client = new Client()
    const cut = client.outcome(`${proxy.url}/inputs`)
    await expect.poll(() => target.seen.length, PATIENT).toBe(1)
    const body = '{ restart: { loses: none } }'
    await fetch(`${proxy.url}/__fake__/faults`, { method: 'POST', body })
    expect(await cut).toBe('ECONNRESET')
  })

  test('that idle are closed under the next request', async () => {
    await weather('closeIdle: { after: 0s }')
    await using client = new Client()
    const outcomes = [await poll(client), await poll(client), await poll(client)]
    expect(outcomes).toEqual([200, 'UND_ERR_SOCKET', 200])
    expect(target.seen).toHaveLength(2)
  })
})

describe('faults that need executions of its own', () => {
  const refused = [
    'faults[0].stuck',
    'faults[1].backwards',
    'faults[2].flip',
    'faults[3].noResult',
    'faults[4].swap',
    'faults[5].restart',
    'faults[6].denied',
  ]
  const list = `[{ stuck: {} }, { backwards: {} }, { flip: {} }, { noResult: {} }, { swap: {} },
    { restart: { loses: all } }, { denied: { token: user } }, { hang: {} }]`

  test('are refused at the start, each by its name', async () => {
    const starting = startProxy(target.url, `faults: ${list}`)
    const paths = starting.catch(({ mistakes }: { mistakes: { path: string }[] }) =>
      mistakes.map(({ path }) => path),
    )
    expect(await paths).toEqual(refused)
    await expect(startFakeProxy({ target: target.url, profile: 'chaos' })).rejects.toThrow(
      /stuck for good[^]*amnesia/,
    )
  })

  test('are refused later, with the list that they came in', async () => {
    await weather('[]')
    for (const [method, path, body] of [
      ['POST', 'faults', list],
      ['PUT', 'profile', `tasks: [{ id: a, agent: A, duration: 1s }]\nfaults: ${list}`],
    ] as const) {
      const answer = await fetch(`${proxy.url}/__fake__/${path}`, { method, body })
      const { details } = (await answer.json()) as { details: { mistakes: { path: string }[] } }
      expect(answer.status).toBe(422)
      expect(details.mistakes.map((mistake) => mistake.path)).toEqual(refused)
    }
    const { faults } = (await (await fetch(`${proxy.url}/__fake__/faults`)).json()) as {
      faults: unknown[]
    }
    expect(faults).toEqual([])
  })

  test.each(['ftp://crew.example', 'crew.example', ''])('a target %j is none', async (url) => {
    await expect(startFakeProxy({ target: url })).rejects.toThrow('proxy target: expected a URL')
  })
})

test('the shipped profile flaky can stand in front of a target', async () => {
  await using crew = await startTarget(crewOfFewWords())
  const flaky = await startFakeProxy({ target: crew.url, profile: 'flaky' })
  expect(flaky.faults).toContain('outage')
  await flaky.stop()
})
