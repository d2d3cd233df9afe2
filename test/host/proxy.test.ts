/** Proxies: which one leads where, and requests through one. */
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { proxyFor } from '../../src/host/node/proxy.ts'
import { UserError } from '../../src/base/mistakes.ts'
import { TEST_CERTIFICATE, TEST_KEY } from './certificate.ts'
import * as act from '../hostile/acts.ts'
import { hostileTarget, kickoff, nodeHost, send } from './support.ts'

const PROXY = 'http://proxy.example:3128'

describe('chooses', () => {
  type Row = [string, string, Record<string, string>, string | null]
  const rows: Row[] = [
    ['none where none is set', 'http://a.example', {}, null],
    ['HTTP_PROXY for http', 'http://a.example', { HTTP_PROXY: PROXY }, PROXY],
    ['HTTPS_PROXY for https', 'https://a.example', { HTTPS_PROXY: PROXY }, PROXY],
    ['none of the other scheme', 'https://a.example', { HTTP_PROXY: PROXY }, null],
    [
      'the lower-case name first',
      'http://a.example',
      { http_proxy: PROXY, HTTP_PROXY: 'http://b' },
      PROXY,
    ],
    ['ALL_PROXY for http', 'http://a.example', { ALL_PROXY: PROXY }, PROXY],
    ['ALL_PROXY for https', 'https://a.example', { all_proxy: PROXY }, PROXY],
    [
      'that of the scheme before ALL_PROXY',
      'http://a.example',
      { HTTP_PROXY: PROXY, ALL_PROXY: 'http://b' },
      PROXY,
    ],
    [
      'none of ALL_PROXY for a name in NO_PROXY',
      'http://a.example',
      { ALL_PROXY: PROXY, NO_PROXY: 'a.example' },
      null,
    ],
    ['none for loopback', 'http://127.0.0.1:1', { HTTP_PROXY: PROXY }, null],
    ['none for localhost', 'http://localhost:1', { HTTP_PROXY: PROXY }, null],
    ['none for IPv6 loopback', 'http://[::1]:1', { HTTP_PROXY: PROXY }, null],
    [
      'none for a name in NO_PROXY',
      'http://a.example',
      { HTTP_PROXY: PROXY, NO_PROXY: 'b, a.example' },
      null,
    ],
    [
      'none below a name in NO_PROXY',
      'http://x.a.example',
      { HTTP_PROXY: PROXY, NO_PROXY: '.a.example' },
      null,
    ],
    [
      'the proxy for a name that only ends alike',
      'http://ba.example',
      { HTTP_PROXY: PROXY, NO_PROXY: 'a.example' },
      PROXY,
    ],
    [
      'none for the port in NO_PROXY',
      'http://a.example',
      { HTTP_PROXY: PROXY, NO_PROXY: 'a.example:80' },
      null,
    ],
    [
      'the proxy for another port',
      'http://a.example:81',
      { HTTP_PROXY: PROXY, NO_PROXY: 'a.example:80' },
      PROXY,
    ],
    ...(
      [
        ['10.1.2.3', '10.0.0.0/8', true],
        ['11.1.2.3', '10.0.0.0/8', false],
        ['172.31.255.255', '172.16.0.0/12', true],
        ['172.32.0.0', '172.16.0.0/12', false],
        ['192.168.7.1', '192.168.7.1/32', true],
        ['192.168.7.1', '0.0.0.0/0', true],
        ['10.1.2.3', '10.*', true],
        ['110.1.2.3', '10.*', false],
        ['10.1.2.3', '10.1.*.3', true],
        ['10.1.2.3', '10.1.2.3', true],
        ['10.1.2.3', '1.2.3', false],
        ['10.1.2.3:8080', '10.1.2.3:8080', true],
        ['10.1.2.3:8081', '10.1.2.3:8080', false],
        ['10.1.2.3', '10.0.0.0/33,10.0.0.0/x,10.0.0/8,/8', false],
        ['crew.example', '10.0.0.0/8', false],
        ['[fd00::1]', 'fd00::/8', true],
        ['[fe80::1]', 'fd00::/8', false],
        ['[fd00::1]', 'fd00:0::1', true],
        ['[fd00::1]', '[fd00::1]', true],
        ['[fd00::1]:8080', '[fd00::1]:8080', true],
        ['[fd00::1]:8081', '[fd00::1]:8080', false],
        ['a.crew.example', '*.crew.example', true],
        ['a.b.crew.example', '*.crew.example', true],
        ['acrew.example', '*.crew.example', false],
        ['A.Crew.Example.', '.crew.EXAMPLE', true],
        ['crew-7.example', 'crew-*.example', true],
        ['crew-7.example.org', 'crew-*.example', false],
        ['a.example', 'localhost 127.0.0.1, a.example', true],
      ] as const
    ).map(([host, noProxy, exempt]): Row => [
      `${exempt ? 'none' : 'the proxy'} for ${host} with NO_PROXY=${noProxy}`,
      `http://${host}`,
      { HTTP_PROXY: PROXY, NO_PROXY: noProxy },
      exempt ? null : PROXY,
    ]),
    ['a proxy without a scheme', 'http://a.example', { HTTP_PROXY: 'proxy.example:3128' }, PROXY],
    [
      'a proxy without a scheme, with a password',
      'https://a.example',
      { HTTPS_PROXY: 'u:p@proxy.example:3128' },
      PROXY,
    ],
    ['none with *', 'http://a.example', { HTTP_PROXY: PROXY, NO_PROXY: '*' }, null],
  ]
  test.each(rows)('%s', (_, target, environment, expected) => {
    const proxy = proxyFor(new URL(target), environment)
    expect(proxy?.url.origin ?? null).toBe(expected)
  })
})

test('takes user and password out of the URL', () => {
  const proxy = proxyFor(new URL('http://a.example'), { HTTP_PROXY: 'http://u:p%40@p.example' })
  expect(proxy?.authorization).toBe(`Basic ${Buffer.from('u:p@').toString('base64')}`)
  expect(proxy?.url.href).toBe('http://p.example/')
})

test.each(['socks5://p.example', 'no url'])('refuses the proxy %s as a mistake', (text) => {
  expect(() => proxyFor(new URL('http://a.example'), { HTTP_PROXY: text })).toThrow(UserError)
})

test('refuses a password that is badly encoded as a mistake, and does not repeat it', () => {
  const environment = { HTTPS_PROXY: 'http://u:50%off@p.example' }
  const mistake = (): unknown => proxyFor(new URL('https://a.example'), environment)
  expect(mistake).toThrow(UserError)
  expect(mistake).toThrow(/^environment HTTPS_PROXY: .*%25$/)
  expect(mistake).not.toThrow('off')
})

/** Forwards requests and tunnels to wherever they want to go, and writes down what was asked. */
async function startProxy({ refusal = '', before = '' } = {}): Promise<{
  url: string
  asked: string[]
}> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`)
    if (refusal !== '') response.writeHead(Number(refusal.slice(0, 3)))
    response.end(refusal === '' ? '{"kickoff_id":"by-proxy"}' : 'login')
  })
  server.on('connect', (request, client) => {
    asked.push(`CONNECT ${request.url}`)
    client.on('error', () => {})
    if (refusal !== '') {
      client.end(`${before}HTTP/1.1 ${refusal}\r\ncontent-length: 5\r\n\r\nlogin`)
      return
    }
    for (const byte of before) client.write(byte)
    const [host = '', port] = (request.url ?? '').split(':')
    const upstream = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    upstream.on('error', () => client.destroy())
    onTestFinished(() => void upstream.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://user:word@127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

test('asks the proxy for a plain target by its whole URL', async () => {
  const proxy = await startProxy()
  const host = await nodeHost('http://crew.example/base', { proxies: { HTTP_PROXY: proxy.url } })
  expect(await send(host, kickoff())).toMatchObject({ body: '{"kickoff_id":"by-proxy"}' })
  const word = Buffer.from('user:word').toString('base64')
  expect(proxy.asked).toEqual([`POST http://crew.example/base/kickoff Basic ${word}`])
})

const INTERIM = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'

test.each([
  ['at once', ''],
  ['after interim answers, byte by byte', INTERIM],
])('tunnels to an encrypted target %s, and keeps the tunnel', async (_, before) => {
  const target = createSecureServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (_, response) =>
    response.socket!.write(before, () => response.end('{"kickoff_id":"tunnelled"}')),
  )
  await new Promise<void>((listening) => target.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    target.closeAllConnections()
    target.close()
  })
  const proxy = await startProxy({ before })
  const { port } = target.address() as AddressInfo
  const host = await nodeHost(`https://127.0.0.1:${port}`, {
    proxies: { HTTPS_PROXY: proxy.url },
    proxyLoopback: true,
    tls: { ca: TEST_CERTIFICATE },
  })
  for (let i = 0; i < 2; i++) {
    expect(await send(host, kickoff())).toMatchObject({ body: '{"kickoff_id":"tunnelled"}' })
  }
  expect(proxy.asked).toEqual([`CONNECT 127.0.0.1:${port}`])
})

describe('a proxy that refuses is named without its password, and is no answer of the target', () => {
  test.each([
    [
      'http',
      '407 Proxy Authentication Required',
      'refuses the user and password in HTTP_PROXY (407)',
    ],
    [
      'https',
      '407 Proxy Authentication Required',
      'refuses the user and password in HTTPS_PROXY (407)',
    ],
    ['https', '403 Forbidden', 'answered 403'],
  ])('for %s, with %s', async (scheme, refusal, words) => {
    const { url } = await startProxy({ refusal, before: INTERIM })
    const proxies = { HTTP_PROXY: url, HTTPS_PROXY: url }
    const host = await nodeHost(`${scheme}://crew.example`, { proxies })
    for (let i = 0; i < 2; i++) {
      expect(await send(host, kickoff())).toMatchObject({
        kind: 'failure',
        class: 'unreachable',
        detail: `proxy ${url.replace('user:word@', '')}: ${words}`,
      })
    }
  })

  test('asks for credentials where none were given', async () => {
    const { url } = await startProxy({ refusal: '407 ?' })
    const host = await nodeHost('http://crew.example', {
      proxies: { HTTP_PROXY: url.replace('user:word@', '') },
    })
    const detail = expect.stringContaining('put them in HTTP_PROXY') as string
    expect(await send(host, kickoff())).toMatchObject({ class: 'unreachable', detail })
  })

  test('a 407 of the target itself, with no proxy between, is an answer', async () => {
    const target = await hostileTarget({ kickoff: act.answer('{}', 407) })
    const host = await nodeHost(target.url)
    expect(await send(host, kickoff())).toMatchObject({ kind: 'answer', status: 407 })
  })
})

test('calls a target unreachable when nobody is at the proxy, not the target refused', async () => {
  const closed = await hostileTarget()
  await closed.close()
  const host = await nodeHost('http://crew.example', { proxies: { HTTP_PROXY: closed.url } })
  expect(await send(host, kickoff())).toMatchObject({ class: 'unreachable', written: false })
})
