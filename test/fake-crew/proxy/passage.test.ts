/**
 * What a proxy without limits and faults does: nothing that its client or its target would notice.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { connect, createServer as createNetServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import { run } from '../../../src/run/run.ts'
import { defineScenario } from '../../../src/scenario/define.ts'
import { TEST_CERTIFICATE, TEST_KEY } from '../../host/certificate.ts'
import { Client, PATIENT, startProxy, startTarget } from './support.ts'

const MEGABYTE = 1024 * 1024

/** All that comes back for these bytes, until the other side closes. */
async function raw(url: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let told = ''
  socket.setEncoding('latin1').on('data', (part: string) => (told += part))
  socket.write(text)
  await once(socket, 'close')
  return told
}

describe('a request', () => {
  test.each(['/status/a%2Fb?x=1&x=2', '//double', '/a/../b', '/', '/openapi.json'])(
    'for %s goes on as it came',
    async (path) => {
      await using target = await startTarget((_, response) => response.end('here'))
      await using proxy = await startProxy(target.url)
      const head = `GET ${path} HTTP/1.1\r\nhost: proxy\r\nconnection: close\r\n\r\n`
      expect(await raw(proxy.url, head)).toMatch(/^HTTP\/1.1 200 OK\r\n[^]*here/)
      expect(target.seen.map(({ url }) => url)).toEqual([path])
    },
  )

  test('keeps its body, its headers and its method, but for what is between neighbours', async () => {
    await using target = await startTarget()
    await using proxy = await startProxy(`${target.url}/base/`)
    await raw(
      proxy.url,
      'PATCH /kickoff HTTP/1.1\r\nhost: proxy\r\nauthorization: Bearer secret\r\nx-own: a, b\r\nte: trailers\r\n' +
        'keep-alive: timeout=5\r\nx-hop: 1\r\nconnection: close, x-hop\r\ncontent-type: text/plain\r\n' +
        'accept-encoding: br\r\nexpect: 100-continue\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
    )
    const [{ method, url, body, headers }] = target.seen as [(typeof target.seen)[0]]
    expect({ method, url, body }).toEqual({ method: 'PATCH', url: '/base/kickoff', body: 'abc' })
    const { connection, 'content-length': _, 'transfer-encoding': __, ...others } = headers
    expect(connection).toBe('keep-alive')
    expect(others).toEqual({
      host: new URL(target.url).host,
      authorization: 'Bearer secret',
      'x-own': 'a, b',
      'content-type': 'text/plain',
      'accept-encoding': 'br',
    })
  })

  test('whose path cannot be decoded is refused', async () => {
    await using target = await startTarget()
    await using proxy = await startProxy(target.url)
    const head = 'GET /%zz HTTP/1.1\r\nhost: proxy\r\nconnection: close\r\n\r\n'
    expect(await raw(proxy.url, head)).toMatch(/^HTTP\/1.1 400 [^]*%zz[^]* is not a path/)
    expect(target.seen).toEqual([])
  })

  test.each(['json', 'application/', '', ';', 'text plain'])(
    'keeps a body whose content type is "%s"',
    async (type) => {
      await using target = await startTarget()
      await using proxy = await startProxy(target.url)
      const head = `POST /kickoff HTTP/1.1\r\nhost: proxy\r\nconnection: close\r\ncontent-type: ${type}`
      await raw(proxy.url, `${head}\r\ncontent-length: 3\r\n\r\nabc`)
      await raw(proxy.url, `${head}\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`)
      expect(target.seen.map(({ body }) => body)).toEqual(['abc', 'abc'])
      expect(target.seen.map(({ headers }) => headers['content-type'])).toEqual([type, type])
    },
  )

  test('may take as long as it likes to come, but for its head', async () => {
    const servers = new Set<Server>()
    const note = (message: unknown): void => {
      servers.add((message as { server: Server }).server)
    }
    subscribe('http.server.request.start', note)
    try {
      await using target = await startTarget()
      await using proxy = await startProxy(target.url)
      await using client = new Client()
      await client.ask(`${proxy.url}/inputs`)
      const [through] = [...servers]
      expect(through!.requestTimeout).toBe(0)
      expect(through!.headersTimeout).toBeGreaterThan(0)
    } finally {
      unsubscribe('http.server.request.start', note)
    }
  })

  test('of any size goes through, and so does its answer', async () => {
    await using target = await startTarget((_, response, body) => response.end(body))
    await using proxy = await startProxy(target.url)
    await using client = new Client()
    const body = 'x'.repeat(20 * MEGABYTE)
    const answer = await client.ask(`${proxy.url}/kickoff`, { method: 'POST', body })
    expect(answer.body === body).toBe(true)
  })

  test('whose client hangs up is cancelled at the target', async () => {
    await using target = await startTarget(() => {})
    await using proxy = await startProxy(target.url)
    await using client = new Client()
    const impatient = new AbortController()
    const slow = client.outcome(`${proxy.url}/inputs`, { signal: impatient.signal })
    await expect.poll(() => target.seen.length, PATIENT).toBe(1)
    impatient.abort()
    await slow
    await expect.poll(() => target.cancelled, PATIENT).toBe(1)
  })

  test('under /__fake__/ never reaches the target', async () => {
    await using target = await startTarget()
    await using proxy = await startProxy(target.url)
    await using client = new Client()
    const statuses = []
    for (const path of ['/__fake__', '/__fake__/', '/__fake__/nothing', '/%5f_fake__/ledger']) {
      statuses.push((await client.ask(proxy.url + path)).status)
    }
    const ledger = await client.ask(`${proxy.url}/__fake__/ledger`)
    const clock = await client.ask(`${proxy.url}/__fake__/clock`)
    expect([...statuses, ledger.status, clock.status]).toEqual([404, 404, 404, 404, 404, 200])
    expect(ledger.body).toContain('A proxy has no ledger')
    expect(target.seen).toEqual([])
  })
})

/** Whatever order and case they have: HTTP gives no meaning to them. */
function lines(text: string): string[] {
  const lower = text.replace('Short', "I'm a Teapot").toLowerCase()
  return lower.split('\r\n').toSorted()
}

describe('an answer', () => {
  test('keeps its status, its headers, each cookie, and its bytes', async () => {
    await using target = await startTarget((_, response) => {
      response.writeHead(418, 'Short', [
        ['content-type', 'text/html'],
        ['set-cookie', 'a=1'],
        ['set-cookie', 'b=2'],
        ['x-name', Buffer.from('über').toString('latin1')],
        ['date', 'Thu, 01 Jan 2026 00:00:00 GMT'],
        ['content-encoding', 'gzip'],
      ] as never)
      response.end(Buffer.from([0xff, 0xfe, 0x00]))
    })
    await using proxy = await startProxy(target.url)
    const head = 'GET /x HTTP/1.1\r\nhost: proxy\r\nconnection: close\r\n\r\n'
    const [direct, through] = [await raw(target.url, head), await raw(proxy.url, head)]
    expect(lines(through)).toEqual(lines(direct))
  })

  test.each([503, 500, 429])('of %d is asked for once', async (status) => {
    await using target = await startTarget((_, response) => response.writeHead(status).end('no'))
    await using proxy = await startProxy(target.url)
    await using client = new Client()
    expect(await client.ask(`${proxy.url}/inputs`)).toMatchObject({ status, body: 'no' })
    expect(target.seen.length).toBe(1)
  })

  test('that its target breaks off is broken off', async () => {
    await using target = await startTarget((_, response) => {
      response.writeHead(200, { 'content-length': '10' })
      response.write('12345', () => response.socket!.end())
    })
    await using proxy = await startProxy(target.url)
    await using client = new Client()
    expect(await client.outcome(`${proxy.url}/inputs`)).toMatch(/UND_ERR_SOCKET|ECONNRESET/)
  })

  test('has its head told before the first byte of its body', async () => {
    const silent: ServerResponse[] = []
    await using target = await startTarget((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      silent.push(response)
    })
    await using proxy = await startProxy(target.url)
    const answer = await fetch(`${proxy.url}/events`, { signal: AbortSignal.timeout(10_000) })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    silent[0]!.end('data: 1\n\n')
    expect(await answer.text()).toBe('data: 1\n\n')
  })

  test.each<[string, string, RegExp]>([
    [
      'a 304 with the length of the 200',
      'HTTP/1.1 304 Not Modified\r\netag: "a"\r\ncontent-length: 55\r\n\r\n',
      /^HTTP\/1.1 304 [^]*content-length: 55/i,
    ],
    [
      'interim answers of three kinds',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n' +
        'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n' +
        'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}',
      /^HTTP\/1.1 100 [^]*HTTP\/1.1 102 [^]*HTTP\/1.1 103 [^]*link: <\/a>; rel=preload[^]*HTTP\/1.1 200 [^]*{}$/i,
    ],
    [
      'the answer behind a hint that cannot be read',
      'HTTP/1.1 103 Early Hints\r\nlink: none\r\n\r\nHTTP/1.1 199 \r\n\r\n' +
        'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}',
      /^HTTP\/1.1 200 [^]*{}$/,
    ],
  ])('passes on %s, each time', async (_, bytes, expected) => {
    const target = createNetServer((socket) => socket.on('data', () => socket.write(bytes)))
    target.listen(0, '127.0.0.1')
    await once(target, 'listening')
    const { port } = target.address() as AddressInfo
    await using proxy = await startProxy(`http://127.0.0.1:${port}`)
    for (let i = 0; i < 2; i++) {
      const head = 'GET /inputs HTTP/1.1\r\nhost: proxy\r\nconnection: close\r\n\r\n'
      expect(await raw(proxy.url, head)).toMatch(expected)
    }
    target.close()
  })

  test('to HEAD has a length and no body; connections are kept', async () => {
    await using target = await startTarget((_, response) => {
      response.writeHead(200, { 'content-length': '10' }).end()
    })
    await using proxy = await startProxy(target.url)
    const head = 'HEAD /inputs HTTP/1.1\r\nhost: proxy\r\n'
    const told = await raw(proxy.url, `${head}\r\n${head}connection: close\r\n\r\n`)
    expect(told.match(/content-length: 10/gi)).toHaveLength(2)
    expect(told.match(/\r\n\r\n/g)).toHaveLength(2)
  })
})

describe('a target that gives none', () => {
  test('is told as 502, with the reason, in either dialect', async () => {
    const server = createNetServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    await using client = new Client()
    for (const [dialect, key] of [
      ['interface', 'message'],
      ['platform', 'detail'],
    ] as const) {
      await using proxy = await startProxy(`http://127.0.0.1:${port}`, `dialect: ${dialect}`)
      const answer = await client.ask(`${proxy.url}/inputs`)
      const body = JSON.parse(answer.body) as Record<string, string>
      expect([answer.status, body[key]]).toEqual([
        502,
        `The fake crew's proxy got no answer from its target: connect ECONNREFUSED 127.0.0.1:${port}`,
      ])
    }
  })

  test('for its certificate is not to be trusted is 502, and hears of no token', async () => {
    let heard = 0
    const server = createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, () => heard++).listen(
      0,
      '127.0.0.1',
    )
    await once(server, 'listening')
    try {
      const { port } = server.address() as AddressInfo
      await using proxy = await startProxy(`https://localhost:${port}`)
      await using client = new Client()
      const { status, body } = await client.ask(`${proxy.url}/inputs`)
      expect([status, heard]).toEqual([502, 0])
      expect(body).toMatch(/self.signed certificate/)
    } finally {
      server.close()
    }
  })
})

test('in front of a fake crew, a client cannot tell which it talks to', async () => {
  const crew = await startFakeCrew({ profile: 'fast', seed: 3, token: 'secret' })
  try {
    await using proxy = await startProxy(crew.url)
    await using client = new Client()
    const { body } = await client.kickoff(proxy.url)
    const id = (JSON.parse(body) as { kickoff_id: string }).kickoff_id
    expect(crew.ledger().map((row) => row.kickoff_id)).toEqual([id])
    const through = await client.ask(`${proxy.url}/status/${id}`)
    expect(through.status).toBe(200)
    expect(JSON.parse(through.body)).toMatchObject({ status: 'running' })
    const scenario = defineScenario({
      name: 'through',
      arrivals: { clients: 2, iterations: 2 },
      inputs: { topic: 'fog', audience: 'sailors' },
      polling: { fixed: '100ms' },
      validity: { lateness: '10s', utilisation: 1 },
    })
    const options = { target: proxy.url, tokens: ['secret'], out: false } as const
    const { document } = await run(scenario, options)
    expect([document.outcomes.completed, document.ledger]).toEqual([2, null])
    expect(crew.ledger()).toHaveLength(3)
  } finally {
    await crew.stop()
  }
})
