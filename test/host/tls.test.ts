/** Encrypted targets: trusted, not trusted, trusted on request. */
import { EventEmitter, once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { ServerOptions } from 'node:https'
import { syncBuiltinESMExports } from 'node:module'
import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { UserError } from '../../src/base/mistakes.ts'
import { failureWords } from '../../src/run/target/preflight.ts'
import { STRANGERS_KEY, TEST_CERTIFICATE, TEST_KEY } from './certificate.ts'
import { hostileTarget, kickoff, nodeHost, send } from './support.ts'

async function secureTarget(
  options: ServerOptions = {},
  answer = (response: ServerResponse): void => void response.end('{"kickoff_id":"a"}'),
): Promise<string> {
  const own = { key: TEST_KEY, cert: TEST_CERTIFICATE, ...options }
  const server = createServer(own, (request, response) => {
    request.resume().on('end', () => answer(response))
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

const DEMANDING = { ca: TEST_CERTIFICATE, requestCert: true, rejectUnauthorized: true }
const OURS = { ca: TEST_CERTIFICATE, cert: TEST_CERTIFICATE, key: TEST_KEY }

test('shows its certificate to a target that requires one', async () => {
  const host = await nodeHost(await secureTarget(DEMANDING), { tls: OURS })
  expect(await send(host, kickoff())).toMatchObject({ kind: 'answer', status: 200 })
})

const WORDS = {
  none: 'it refused the handshake, as if it requires a client certificate (--cert and --key FILE)',
  bad: 'it refused our client certificate (--cert FILE)',
}
test.each([['TLSv1.3'], ['TLSv1.2']] as const)(
  'starts nothing where a target requires a certificate by %s',
  async (maxVersion) => {
    const url = await secureTarget({ ...DEMANDING, maxVersion })
    const host = await nodeHost(url, { tls: { ca: TEST_CERTIFICATE } })
    const answer = await send(host, kickoff())
    expect(answer).toMatchObject({ class: 'tls', written: false })
    expect(answer.kind === 'failure' && failureWords(answer)).toBe(WORDS.none)
  },
)

/** The next TLS connection that this process opens. */
async function nextConnection(): Promise<tls.TLSSocket> {
  const { connect } = tls
  return new Promise((resolve) => {
    const watched = (options: tls.ConnectionOptions): tls.TLSSocket => {
      const socket = connect(options)
      tls.connect = connect
      syncBuiltinESMExports()
      resolve(socket)
      return socket
    }
    tls.connect = watched as typeof connect
    syncBuiltinESMExports()
  })
}

test('names a refused certificate by the alert of OpenSSL, not by an end of the connection', async () => {
  const code = 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'
  const refused = Object.assign(new Error('tlsv1 alert unknown ca'), { code })
  const connecting = nextConnection()
  const asked = new EventEmitter()
  const url = await secureTarget({}, () => void asked.emit('request'))
  const host = await nodeHost(url, { tls: OURS })
  const request = once(asked, 'request')
  const unread = send(host, kickoff())
  await request
  void (await connecting).destroy(refused)
  const failure = await unread
  expect(failure).toMatchObject({ class: 'tls', detail: code })
  expect(failure.kind === 'failure' && failureWords(failure)).toBe(WORDS.bad)
})

test('does not blame the certificate where an answer had begun', async () => {
  const code = 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA'
  const connecting = nextConnection()
  const url = await secureTarget({}, (response) => void response.write('{'))
  const read = send(await nodeHost(url, { tls: OURS }), kickoff())
  const socket = await connecting
  await once(socket, 'data')
  socket.destroy(Object.assign(new Error('tlsv1 alert unknown ca'), { code }))
  expect(await read).toMatchObject({ class: 'other' })
})

test.each([
  [{ cert: TEST_CERTIFICATE }, ['key: is missing beside the certificate']],
  [{ key: TEST_KEY }, ['cert: is missing beside the private key']],
  [{ ...OURS, key: STRANGERS_KEY }, ['key: is not the key of the certificate']],
  [
    { ca: 'a', cert: 'b', key: 'c' },
    [
      'ca: expected certificates in PEM',
      'cert: expected a certificate in PEM',
      'key: expected a private key in PEM',
    ],
  ],
])('names everything wrong with a certificate: %#', async (tls, problems) => {
  await expect(nodeHost('https://crew.example', { tls })).rejects.toThrow(
    problems.map((problem) => `tls ${problem}`).join('\n'),
  )
})
