/** Encrypted targets: trusted, not trusted, trusted on request. */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { UserError } from '../../src/base/mistakes.ts'
import { TEST_CERTIFICATE, TEST_KEY } from './certificate.ts'
import { hostileTarget, kickoff, nodeHost, send } from './support.ts'

async function secureTarget(): Promise<string> {
  const server = createServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (request, response) => {
    request.resume().on('end', () => response.end('{"kickoff_id":"a"}'))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `https://localhost:${(server.address() as AddressInfo).port}`
}

test('refuses a certificate that nobody trusts, unwritten', async () => {
  const host = await nodeHost(await secureTarget())
  expect(await send(host, kickoff())).toMatchObject({
    class: 'tls',
    written: false,
    detail: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  })
})

test('trusts a certificate authority that it is given', async () => {
  const host = await nodeHost(await secureTarget(), { tls: { ca: TEST_CERTIFICATE } })
  expect(await send(host, kickoff())).toMatchObject({ kind: 'answer', status: 200 })
  expect(await send(host, kickoff())).toMatchObject({ timing: { newConnection: false } })
})

test.each(['no certificate', TEST_CERTIFICATE.slice(0, 80)])(
  'calls a certificate authority that is none a mistake, before anything is sent: %j',
  async (ca) => {
    await expect(nodeHost('https://crew.example', { tls: { ca } })).rejects.toThrow(UserError)
  },
)

test('takes any certificate when told to', async () => {
  const url = await secureTarget()
  const host = await nodeHost(url, { tls: { insecure: true }, http: { preOpenConnections: 1 } })
  expect(host.vitals().connectionsOpened).toBe(1)
  expect(await send(host, kickoff())).toMatchObject({ kind: 'answer', status: 200 })
})

test('says tls where the target speaks plain HTTP', async () => {
  const target = await hostileTarget({}, (socket) => socket.end('HTTP/1.1 400 Bad\r\n\r\n'))
  const host = await nodeHost(target.url.replace('http:', 'https:'))
  expect(await send(host, kickoff())).toMatchObject({ class: 'tls', written: false })
})

test('gives up a handshake that never ends', async () => {
  const target = await hostileTarget()
  const host = await nodeHost(target.url.replace('http:', 'https:'), {
    http: { connectTimeoutMicros: 50_000 },
  })
  expect(await send(host, kickoff())).toMatchObject({
    class: 'connect-timeout',
    written: false,
    detail: 'no connection within 50 ms',
  })
})
