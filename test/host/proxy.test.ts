/** Proxies: which one leads where, and requests through one. */
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { proxyFor } from '../../src/host/node/proxy.ts'
import { UserError } from '../../src/base/mistakes.ts'
import { TEST_CERTIFICATE, TEST_KEY } from './certificate.ts'
import { hostileTarget, kickoff, nodeHost, send } from './support.ts'

const PROXY = 'http://proxy.example:3128'

describe('chooses', () => {
  const rows: [string, string, Record<string, string>, string | null][] = [
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
async function startProxy(refuse = false): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`)
    response.end('{"kickoff_id":"by-proxy"}')
  })
  server.on('connect', (request, client) => {
    asked.push(`CONNECT ${request.url}`)
    client.on('error', () => {})
    if (refuse) {
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n')
      return
    }
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

test('tunnels to an encrypted target, and keeps the tunnel', async () => {
  const target = createSecureServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (_, response) =>
    response.end('{"kickoff_id":"tunnelled"}'),
  )
  await new Promise<void>((listening) => target.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    target.closeAllConnections()
    target.close()
  })
  const proxy = await startProxy()
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

test('calls a target unreachable when the proxy refuses', async () => {
  const proxy = await startProxy(true)
  const host = await nodeHost('https://crew.example', { proxies: { HTTPS_PROXY: proxy.url } })
  expect(await send(host, kickoff())).toMatchObject({
    class: 'unreachable',
    written: false,
    detail: 'proxy: answered 403',
  })
})

test('calls a target unreachable when nobody is at the proxy, not the target refused', async () => {
  const closed = await hostileTarget()
  await closed.close()
  const host = await nodeHost('http://crew.example', { proxies: { HTTP_PROXY: closed.url } })
  expect(await send(host, kickoff())).toMatchObject({ class: 'unreachable', written: false })
})
