/** Faults of connections, and the control of faults, at a crew that runs. */
import { connect } from 'node:net'
import { Agent, request } from 'undici'
import { afterEach, describe, expect, test } from 'vitest'
import type { FakeCrew } from '../../../fake-crew/index.ts'
import { started } from '../live-client.ts'
import { written } from '../sample-profile.ts'
import { profileText } from './support.ts'

const agents: Agent[] = []
const PATIENT = { timeout: 10_000, interval: 20 }

afterEach(async () => {
  await Promise.all(agents.splice(0).map(async (agent) => agent.destroy()))
})

async function start(faults = '[]'): Promise<FakeCrew> {
  return started({ profile: written(profileText(faults)) })
}

/** One connection of its own. */
function connection(): Agent {
  const agent = new Agent({ connections: 1 })
  agents.push(agent)
  return agent
}

async function inputs(crew: FakeCrew, dispatcher: Agent): Promise<number | string> {
  try {
    const headers = { authorization: `Bearer ${crew.token}` }
    const { statusCode, body } = await request(`${crew.url}/inputs`, { dispatcher, headers })
    await body.text()
    return statusCode
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

/** What comes of a new connection. */
async function knock(crew: FakeCrew): Promise<string> {
  const socket = connect(Number(new URL(crew.url).port), '127.0.0.1')
  return new Promise((resolve) => {
    socket.once('connect', () => {
      socket.destroy()
      resolve('connected')
    })
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
  })
}

async function control(
  crew: FakeCrew,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body: string | null = null,
): Promise<{ status: number; json: unknown }> {
  const answer = await request(`${crew.url}/__fake__/${path}`, {
    method,
    body,
    dispatcher: connection(),
  })
  const text = await answer.body.text()
  return { status: answer.statusCode, json: text === '' ? null : (JSON.parse(text) as unknown) }
}

describe('refused connections', () => {
  test('come back when it is over; open ones go on meanwhile', async () => {
    const crew = await start()
    const open = connection()
    expect(await inputs(crew, open)).toBe(200)
    await control(crew, 'POST', 'faults', '{ refuse: {}, window: { for: 400ms } }')
    await expect.poll(async () => knock(crew), PATIENT).toBe('ECONNREFUSED')
    expect(await inputs(crew, open)).toBe(200)
    await expect.poll(async () => knock(crew), PATIENT).toBe('connected')
    expect(await inputs(crew, connection())).toBe(200)
  })

  test('do not hold up the stop', async () => {
    const crew = await start()
    await control(crew, 'POST', 'faults', '{ refuse: {}, window: { for: 1h } }')
    await expect.poll(async () => knock(crew), PATIENT).toBe('ECONNREFUSED')
    const began = performance.now()
    await crew.stop()
    expect(performance.now() - began).toBeLessThan(2_000)
  })
})

describe('a connection closed when idle', () => {
  test('takes the next request down with it; a new one is as good as ever', async () => {
    const crew = await start('- closeIdle: { after: 0s }')
    const agent = connection()
    const answers = [
      await inputs(crew, agent),
      await inputs(crew, agent),
      await inputs(crew, agent),
    ]
    expect(answers).toEqual([200, 'UND_ERR_SOCKET', 200])
  })

  test('needs to have been idle for so long', async () => {
    const crew = await start('- closeIdle: { after: 1h }')
    const agent = connection()
    expect([await inputs(crew, agent), await inputs(crew, agent)]).toEqual([200, 200])
  })
})

test('a reset behind the answer leaves it whole', async () => {
  const crew = await start('- reset: { at: after }')
  const agent = connection()
  expect(await inputs(crew, agent)).toBe(200)
  await expect.poll(() => agent.stats[crew.url]?.connected ?? false, PATIENT).toBe(false)
  expect(await inputs(crew, agent)).toBe(200)
})

/**
 * Once the answer has broken off: what is written to a connection that was reset fails at once; one
 * that was closed still takes it.
 */
async function brokenOffBy(crew: FakeCrew): Promise<'reset' | 'close'> {
  const socket = connect({ port: Number(new URL(crew.url).port), allowHalfOpen: true })
  try {
    socket.write(
      `GET /inputs HTTP/1.1\r\nhost: crew\r\nauthorization: Bearer ${crew.token}\r\n\r\n`,
    )
    return await new Promise((resolve) => {
      socket.resume().once('error', () => resolve('reset'))
      socket.once('end', () => {
        socket.write('more', (error) => resolve(error ? 'reset' : 'close'))
      })
    })
  } finally {
    socket.destroy()
  }
}

test.each([
  ['reset: { at: before }', 'reset'],
  ['reset: { at: during }', 'reset'],
  ['truncate: {}', 'close'],
  ['empty: {}', 'close'],
])('%s ends the connection by a %s', async (fault, how) => {
  const crew = await start(`- ${fault}`)
  expect(await brokenOffBy(crew)).toBe(how)
})

async function restart(crew: FakeCrew, dispatcher: Agent): Promise<void> {
  const init = { method: 'POST', body: 'restart: { loses: none }', dispatcher } as const
  await (await request(`${crew.url}/__fake__/faults`, init)).body.text()
}

function isOpen(agent: Agent, { url }: FakeCrew): boolean {
  return Boolean(agent.stats[url]?.connected)
}

describe('a restart', () => {
  test('cuts a connection that was used for the control before', async () => {
    const crew = await start()
    const both = connection()
    await (await request(`${crew.url}/__fake__/clock`, { dispatcher: both })).body.text()
    expect(await inputs(crew, both)).toBe(200)
    expect(isOpen(both, crew)).toBe(true)
    await restart(crew, connection())
    await expect.poll(() => isOpen(both, crew), PATIENT).toBe(false)
  })

  test('leaves the control its connection, and the crew answers nothing on it', async () => {
    const crew = await start()
    const both = connection()
    await restart(crew, both)
    const { body } = await request(`${crew.url}/__fake__/clock`, { dispatcher: both })
    await body.text()
    expect(await inputs(crew, both)).toMatch(/ECONNRESET|UND_ERR_SOCKET/)
    expect(await inputs(crew, both)).toBe(200)
  })
})

test('on localhost there is one server, and faults reach it', async () => {
  const crew = await started({ host: 'localhost' })
  expect(crew.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  const socket = connect(Number(new URL(crew.url).port), '::1')
  const told = await new Promise<string>((resolve) => {
    socket.once('connect', () => resolve('connected')).once('error', () => resolve('refused'))
  })
  socket.destroy()
  expect(told).toBe('refused')
})

test('a drip of many pieces lasts no longer than asked for', async () => {
  const crew = await start('- drip: { pieces: 3000, over: 300ms }')
  const began = performance.now()
  expect(await inputs(crew, connection())).toBe(200)
  const tookMs = performance.now() - began
  expect(tookMs).toBeGreaterThan(290)
  expect(tookMs).toBeLessThan(2_000)
})

test('a drip comes in so many pieces', async () => {
  const crew = await start('- drip: { pieces: 5, over: 100ms }')
  const headers = { authorization: `Bearer ${crew.token}` }
  const { body } = await request(`${crew.url}/inputs`, { headers, dispatcher: connection() })
  const pieces: string[] = []
  for await (const piece of body) pieces.push(String(piece))
  expect(pieces.length).toBeGreaterThan(1)
  expect(JSON.parse(pieces.join(''))).toEqual({ inputs: ['topic', 'audience'] })
})

test('a stop ends what hangs, stalls and drips', async () => {
  const crew = await start(
    '- hang: {}\n  first: 1\n- stall: {}\n  nth: 2\n- drip: { over: 1h }\n  nth: 3',
  )
  const answers = [1, 2, 3].map(async () => inputs(crew, connection()))
  const busy = async () => {
    const text = await (await fetch(`${crew.url}/__fake__/metrics`)).text()
    return /^fake_crew_requests_in_flight (\d+)/m.exec(text)?.[1]
  }
  await expect.poll(busy, PATIENT).toBe('3')
  const began = performance.now()
  await crew.stop()
  expect(performance.now() - began).toBeLessThan(2_000)
  expect(await Promise.all(answers)).not.toContain(200)
})

describe('/__fake__/faults', () => {
  test('adds, lists and clears while the crew runs', async () => {
    const crew = await start('- name: of the profile\n  status: { code: 502 }\n  first: 1')
    expect(await inputs(crew, connection())).toBe(502)
    const added = await control(crew, 'POST', 'faults', '- { name: new, status: { code: 504 } }')
    expect(added).toMatchObject({ status: 201, json: { faults: [{ fault: { name: 'new' } }] } })
    expect(await inputs(crew, connection())).toBe(504)
    const listed = await control(crew, 'GET', 'faults')
    expect(listed.json).toMatchObject({
      faults: [
        { fault: { name: 'of the profile' }, touched: 1 },
        { fault: { name: 'new' }, touched: 1 },
      ],
    })
    expect((await control(crew, 'DELETE', 'faults/new')).status).toBe(204)
    expect((await control(crew, 'DELETE', 'faults/new')).status).toBe(404)
    expect(await inputs(crew, connection())).toBe(200)
    expect((await control(crew, 'DELETE', 'faults')).status).toBe(204)
    expect((await control(crew, 'GET', 'faults')).json).toEqual({ faults: [] })
  })

  test('tells every mistake, and changes nothing', async () => {
    const crew = await start()
    const text = '- rest: { at: now }\n- { status: { code: 99 }, chance: 2 }'
    const { status, json } = await control(crew, 'POST', 'faults', text)
    expect(status).toBe(422)
    expect(json).toMatchObject({
      details: {
        mistakes: [
          { path: '[0].rest', line: 1, nearest: 'reset' },
          { path: '[0]', line: 1 },
          { path: '[1].status.code', line: 2, found: '99' },
          { path: '[1].chance', line: 2, found: '2' },
        ],
      },
    })
    expect((await control(crew, 'GET', 'faults')).json).toEqual({ faults: [] })
  })

  test('of the profile are back after a reset', async () => {
    const crew = await start('- status: { code: 502 }')
    await control(crew, 'DELETE', 'faults')
    expect(await inputs(crew, connection())).toBe(200)
    await control(crew, 'POST', 'reset')
    expect(await inputs(crew, connection())).toBe(502)
  })
})
