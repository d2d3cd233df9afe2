/** The side door of a crew that refuses or cuts connections for a while: it is knocked at again. */
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Agent, getGlobalDispatcher, request, setGlobalDispatcher } from 'undici'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { FakeCrew } from '../../../fake-crew/index.ts'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import { findFakeControl, openFakeControl } from '../../../src/run/fake/control.ts'
import { run } from '../../../src/run/run.ts'
import { drip, flood, json, silence } from '../../hostile/acts.ts'
import type { Act } from '../../hostile/server.ts'
import { startHostile } from '../../hostile/server.ts'
import { countingTarget } from '../../support/targets/counting.ts'

const before = getGlobalDispatcher()
const crews: FakeCrew[] = []

afterEach(async () => {
  const used = getGlobalDispatcher()
  setGlobalDispatcher(before)
  if (used !== before) await used.close()
  await Promise.all(crews.splice(0).map(async (crew) => crew.stop()))
})

async function refuse(crew: FakeCrew, length: string): Promise<void> {
  const body = `{ refuse: {}, window: { for: ${length} } }`
  const dispatcher = new Agent()
  await (
    await request(`${crew.url}/__fake__/faults`, { method: 'POST', body, dispatcher })
  ).body.text()
  await dispatcher.close()
}

test('the ledger is had as soon as connections are taken again', async () => {
  const crew = await startFakeCrew({ profile: 'fast' })
  crews.push(crew)
  const control = await openFakeControl(new URL(crew.url), crew.token)
  await refuse(crew, '2s')
  setGlobalDispatcher(new Agent())
  await expect(fetch(`${crew.url}/inputs`)).rejects.toThrow('fetch failed')
  expect(await control?.ledger()).toEqual([])
})

test('a crew that is gone is waited for once, and again after it has answered', async () => {
  let isHere = false
  let tries = 0
  await using server = await serving(({ url, socket }, response) => {
    if (url !== '/__fake__/ledger') return response.end(CLOCK)
    tries++
    return isHere ? response.end() : socket.resetAndDestroy()
  })
  const control = await openFakeControl(server.url, '')
  // A long event loop turn stands for the 15 seconds.
  let nowMs = 0
  using _ = onClock(() => (nowMs += 8_000))
  const triesOf = async (): Promise<number> => {
    tries = 0
    await expect(control!.ledger()).rejects.toThrow(/ECONNRESET|hang up/)
    return tries
  }
  expect([await triesOf(), await triesOf()]).toEqual([2, 1])
  isHere = true
  expect(await control!.ledger()).toEqual([])
  isHere = false
  expect(await triesOf()).toBe(2)
})

function onClock(now: () => number): Disposable {
  const spy = vi.spyOn(performance, 'now').mockImplementation(now)
  return { [Symbol.dispose]: () => spy.mockRestore() }
}

const ROW = {
  kickoff_id: 'one',
  ordinal: 0,
  correlation: null,
  accepted_ms: 1,
  started_ms: 2,
  ended_ms: null,
  outcome: 'running',
  tasks: [],
  output_hash: null,
}
const CLOCK = JSON.stringify({ now_ms: 1, anchor_unix_ms: 1_784_073_600_000, speed: 1 })

async function serving(listener: RequestListener): Promise<AsyncDisposable & { url: URL }> {
  const server = createServer(listener)
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

test('a connection that is cut costs nothing: reset, closed without an answer, and in the midst of one', async () => {
  const row = JSON.stringify(ROW)
  const ways = ['reset', 'close', 'half'] as const
  let asked = 0
  await using server = await serving(({ url, socket }, response) => {
    if (url !== '/__fake__/ledger') return response.end(CLOCK)
    const way = ways[asked++]
    if (way === undefined) return response.end(`${row}\n`)
    if (way === 'reset') return socket.resetAndDestroy()
    if (way === 'close') return socket.end()
    response.writeHead(200, { 'content-length': 1_000 })
    return response.write(`${row}\n`, () => socket.destroy())
  })
  const control = await openFakeControl(server.url, '')
  expect(await control?.ledger()).toEqual([ROW])
  expect(asked).toBe(ways.length + 1)
})

describe.concurrent('what listens on this machine and is no fake crew', () => {
  const OK = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
  test.each<[string, Act]>([
    ['floods the body', flood(`${OK}\r\n`, Buffer.alloc(65_536, 32))],
    ['drips the body', drip(`${OK}content-length: 9000\r\n\r\n${' '.repeat(9_000)}`, 5)],
    ['drips a 404', drip(`HTTP/1.1 404 Not Found\r\ncontent-length: 9000\r\n\r\n${CLOCK}`, 5)],
    [
      'answers with interim answers alone',
      flood('', Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n')),
    ],
    ['never answers', silence],
    ['answers with another JSON', json({ now_ms: 1 })],
    ['answers with a clock beyond all time', json({ now_ms: 1e300, anchor_unix_ms: 1, speed: 1 })],
  ])('that %s is left alone within seconds', async (_, act) => {
    const target = await startHostile({ inputs: act, kickoff: act, status: act })
    const began = performance.now()
    expect(await findFakeControl(new URL(target.url), undefined)).toBeNull()
    expect(performance.now() - began).toBeLessThan(4_000)
    await target.close()
  })

  // Read whole by then or not: Node treats a connection whose answer is complete otherwise.
  test.each([4_000, 4_097, 16_384, 40_000, 65_536, 200_000, 4_000_000])(
    'that answers every path with a page of %d bytes is left alone',
    async (bytes) => {
      await using server = await serving((_, response) => response.end('x'.repeat(bytes)))
      expect(await findFakeControl(server.url, undefined)).toBeNull()
      await new Promise((next) => setTimeout(next, 5))
    },
  )

  test('never sees a token, nor does a fake crew see one but its admin token', async () => {
    const told: (string | undefined)[] = []
    await using server = await serving(({ headers }, response) => {
      told.push(headers.authorization)
      if (headers.authorization !== 'Bearer admin') response.statusCode = 401
      response.end(CLOCK)
    })
    expect(await findFakeControl(server.url, undefined)).toBeNull()
    expect(told).toEqual([undefined])
    expect(await findFakeControl(server.url, 'admin')).not.toBeNull()
    expect(new Set(told.slice(2))).toEqual(new Set(['Bearer admin']))
  })

  test('is not asked at all when it is elsewhere', async () => {
    expect(await findFakeControl(new URL('http://crew.invalid'), 'admin')).toBeNull()
  })
})

async function ledgerFrom(body: string): Promise<unknown> {
  await using server = await serving(({ url }, response) =>
    response.end(url === '/__fake__/ledger' ? body : CLOCK),
  )
  const control = await findFakeControl(server.url, undefined)
  return await control?.ledger()
}

describe.concurrent('a ledger', () => {
  test.each([
    ['no JSON', 'nonsense', 'JSON'],
    ['a row of another shape', `${JSON.stringify({ ...ROW, tasks: 7 })}\n`, 'row 1 has another'],
    ['a line without an end', ' '.repeat(2 ** 21), 'a line without an end'],
  ])('with %s is an error that says so', async (_, body, words) => {
    await expect(ledgerFrom(body)).rejects.toThrow(words)
  })

  test('that is there again after a limit has passed is had', async () => {
    let asked = 0
    await using server = await serving(({ url }, response) => {
      if (url !== '/__fake__/ledger') return response.end(CLOCK)
      if (asked++ > 0) return response.end(JSON.stringify(ROW))
      return response.writeHead(429, { 'retry-after': '1' }).end()
    })
    const control = await findFakeControl(server.url, undefined)
    expect(await control?.ledger()).toEqual([ROW])
  })

  test('of a crew that keeps none, as a proxy says, is none', async () => {
    await using server = await serving(({ url }, response) =>
      url === '/__fake__/ledger' ? response.writeHead(404).end() : response.end(CLOCK),
    )
    const control = await findFakeControl(server.url, undefined)
    expect(await control?.ledger()).toBeNull()
  })
})

test('the clock of a crew that was there before is read ten times a second at most', async () => {
  const at: number[] = []
  await using server = await serving(({ url }, response) => {
    if (url === '/__fake__/clock') at.push(performance.now())
    response.end(CLOCK)
  })
  const control = await findFakeControl(server.url, undefined)
  const samples = await control?.sampleClock(() => Math.round(performance.now() * 1_000))
  expect(samples?.length).toBe(at.length - 1)
  const gaps = at.slice(2).map((ms, i) => ms - (at[i + 1] ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThan(90)
})

describe('a run on a fake crew', () => {
  test('whose ledger it cannot fetch says so, and is not lost', async () => {
    await using target = await countingTarget({ refuseEvery: 0 })
    await using limited = await serving((request, response) => {
      if (request.url === '/__fake__/clock') return response.end(CLOCK)
      if (request.url === '/__fake__/ledger') {
        return response.writeHead(429, { 'retry-after': '60' }).end()
      }
      return void forward(target.url, request, response)
    })
    const { document } = await run(
      {
        name: 'limited',
        polling: { fixed: '50ms' },
        confirm: 0,
        arrivals: { clients: 1, iterations: 2 },
        inputs: { topic: 'a', audience: 'b' },
      },
      { target: limited.url.href, tokens: ['t'], out: false },
    )
    expect(document.outcomes.completed).toBe(2)
    expect(document.ledger).toBeNull()
    expect(document.findings).toContainEqual({
      code: 'ledger-missing',
      severity: 'warning',
      error: 'answered 429, retry after 60 s',
      message:
        'nothing was compared with the ledger, which could not be fetched (answered 429, retry after 60 s)',
    })
  })
})

describe('a run on a crew that kept the latest marks of its faults alone', () => {
  const SPELLS = { fault: 'slow', kind: 'latency', always: true, spells: [] }

  /** What the report says of marks, where the oldest that is kept came so long ago. */
  async function toldOf(oldestAgoMs: number, dropped: number): Promise<string[]> {
    await using target = await countingTarget({ refuseEvery: 0 })
    await using marked = await serving((request, response) => {
      const nowMs = performance.now()
      const clock = { now_ms: nowMs, anchor_unix_ms: 1_784_073_600_000, speed: 1 }
      const mark = { ...ROW_MARK, at_ms: nowMs - oldestAgoMs }
      switch (request.url) {
        case '/__fake__/clock':
          return response.end(JSON.stringify(clock))
        case '/__fake__/ledger':
          return response.end()
        case '/__fake__/faults/spells':
          return response.end(JSON.stringify(SPELLS))
        case '/__fake__/faults/marks':
          return response.end(JSON.stringify(mark))
        case '/__fake__/metrics':
          return response.end(`fake_crew_marks_dropped_total{list="faults"} ${dropped}\n`)
        default:
          return void forward(target.url, request, response)
      }
    })
    const { document } = await run(
      {
        name: 'marked',
        polling: { fixed: '50ms' },
        confirm: 0,
        arrivals: { clients: 1, iterations: 2 },
        inputs: { topic: 'a', audience: 'b' },
      },
      { target: marked.url.href, tokens: ['t'], out: false },
    )
    const told = document.findings.filter(({ message }) => message.includes('marks'))
    return told.map(({ severity, message }) => `${severity}: ${message}`)
  }

  test('says that they are missing, and of which time', async () => {
    const [told] = await toldOf(0, 100_000)
    expect(told).toMatch(
      /^warning: counts of touched answers miss the first \d.*: the fake crew dropped its oldest 100,000 marks/,
    )
  })

  test('says nothing where those that are gone came before it, or none is gone', async () => {
    expect(await toldOf(600_000, 100_000)).toEqual([])
    expect(await toldOf(0, 0)).toEqual([])
  })
})

const ROW_MARK = { fault: 'slow', operation: 'status', correlation: null, kickoff_id: null }

async function forward(
  origin: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', url = '/' } = request
  const body = method === 'POST' ? await text(request) : null
  const answer = await fetch(`${origin}${url}`, { method, body })
  response.writeHead(answer.status, { 'content-type': 'application/json' })
  response.end(await answer.text())
}
