/**
 * An address at which there is no crew, or one that is written wrongly: said at once, nothing paid,
 * no secret repeated.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import { cli, temporaryFolder } from '../../support/cli.ts'

const ENV = { CREWLOAD_TOKEN: 'sesame-4711' }

async function serving(listener: RequestListener) {
  const methods: string[] = []
  const server = createServer((request, response) => {
    methods.push(request.method ?? '')
    listener(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    methods,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const STRANGERS: [string, RequestListener][] = [
  [
    'a plain file server',
    (_, response) => {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not Found</h1>')
    },
  ],
  [
    'a page for every path',
    (_, response) => {
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<!doctype html><title>x</title>')
    },
  ],
  [
    'a redirect to a login',
    (_, response) => {
      response.writeHead(302, { location: '/login' }).end()
    },
  ],
]

describe.concurrent('what is no crew', () => {
  test.each(STRANGERS)('%s gets no kickoff, by run, check or saturate', async (name, listener) => {
    await using folder = await temporaryFolder()
    await using stranger = await serving(listener)
    const target = `http://${stranger.host}`
    const out = ['--out', folder.path]
    for (const args of [
      ['run', 'smoke', '--target', target, ...out],
      ['check', '--target', target],
      ['saturate', 'kickoff', '--target', target, '--max-kickoffs', '1000', ...out],
    ]) {
      const { code, stderr } = await cli(args, { env: ENV })
      expect(stderr).toContain(
        name === 'a redirect to a login'
          ? 'redirects elsewhere, which is not followed'
          : 'this does not look like a crew: check the base URL',
      )
      expect(code).toBe(5)
    }
    expect(stranger.methods).not.toContain('POST')
  })

  test('a wrong path at a crew is none either', async () => {
    const crew = await startFakeCrew({ profile: 'fast' })
    const args = ['check', '--target', `${crew.url}/v1/crew`]
    const { code, stderr } = await cli(args, { env: { CREWLOAD_TOKEN: crew.token } })
    await crew.stop()
    expect(stderr).toContain('check the base URL (found GET /inputs answered 404')
    expect(code).toBe(5)
  })

  test('https to a port of http is told the scheme', async () => {
    await using plain = await serving((_, response) => response.end('{}'))
    const args = ['run', 'smoke', '--target', `https://${plain.host}`, '--max-kickoffs', '1']
    const { code, stderr } = await cli(args, { env: ENV })
    expect(stderr).toContain('it does not use TLS: use http://')
    expect(stderr).not.toContain('certificate')
    expect(code).toBe(5)
  })
})

describe('a secret in what was written wrongly', () => {
  const run = ['run', 'smoke', '--profile', 'fast']
  test.each<[string, string[]]>([
    ['a header without a colon', [...run, '--header', 'x-api-key SECRET']],
    ['a header on two lines', [...run, '--header', 'x-api-key: SECRET\r\nx: y']],
    ['a token as a header', [...run, '--header=Authorization: Bearer SECRET']],
    ['a target with one slash too few', ['run', 'smoke', '--target', 'http:user:SECRET@127.0.0.1']],
    ['a target with two at signs', ['run', 'smoke', '--target', 'http://u:A@SECRET@127.0.0.1']],
    ['a password with a slash', ['run', 'smoke', '--target', 'http://u:a/SECRET@127.0.0.1']],
    ['a target with a query', ['run', 'smoke', '--target', 'http://127.0.0.1/?token=SECRET']],
    [
      'a proxy',
      [...run.slice(0, 2), '--target', 'http://crew.invalid', '--max-kickoffs', '1', '--yes'],
    ],
  ])('%s is not repeated', async (_, args) => {
    const env = { ...ENV, HTTP_PROXY: 'http://u:50%SECRET@127.0.0.1:1' }
    const { code, stdout, stderr } = await cli(args, { env })
    expect(stderr).toMatch(/^crewload: /m)
    expect(stdout + stderr).not.toContain('SECRET')
    expect(code).toBe(2)
  })
})
