import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { urlOf } from '../../../../fake-crew/server/server.ts'
import { isLoopback } from '../../../../src/base/loopback.ts'
import { addControl } from '../../../../fake-crew/server/control/control.ts'
import { knowEveryMethod } from '../../../../fake-crew/server/other-methods.ts'
import type { Crew } from '../../../../fake-crew/model/crew.ts'
import { createCrew } from '../../../../fake-crew/model/crew.ts'
import { checkProfile } from '../../../../fake-crew/profiles.ts'
import { LiveModel } from '../../../../fake-crew/server/live-model.ts'
import { TOKENS } from '../../client.ts'
import { SAMPLE } from '../../sample-profile.ts'

interface Caller {
  remoteAddress?: string
  adminToken?: string | null
  headers?: Record<string, string>
}

async function statusFor({ remoteAddress = '127.0.0.1', adminToken = null, headers }: Caller) {
  const app = fastify()
  knowEveryMethod(app)
  const live = new LiveModel<Crew>(checkProfile(SAMPLE, 'x'), (profile) =>
    createCrew(profile, { tokens: TOKENS }),
  )
  const ledger = () => live.model.ledger(live.nowMicros())
  addControl(app, { live, ledger, forwardsTo: null, adminToken })
  const heard = { host: '127.0.0.1:4010', ...headers }
  const { statusCode } = await app.inject({ url: '/clock', remoteAddress, headers: heard })
  await app.close()
  return statusCode
}

test.each([
  ['127.0.0.1', null, undefined, 200],
  ['::1', null, undefined, 200],
  ['::1', 'admin', undefined, 401],
  ['127.0.0.1', 'admin', 'admin', 200],
  ['10.0.0.7', null, undefined, 401],
  ['10.0.0.7', 'admin', undefined, 401],
  ['10.0.0.7', 'admin', TOKENS.organization, 401],
  ['10.0.0.7', 'admin', 'admin', 200],
])(
  'from %s with admin token %s, presenting %s: %i',
  async (remoteAddress, adminToken, token, status) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    expect(await statusFor({ remoteAddress, adminToken, headers })).toBe(status)
  },
)

test.each([
  ['a page of another site', { origin: 'https://evil.example' }, 403],
  ['a page without an origin', { origin: 'null' }, 403],
  ['an image on a page', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 403],
  ['another port of this machine', { 'sec-fetch-site': 'same-site' }, 403],
  ['a name that leads here', { host: 'rebound.example:4010' }, 403],
  ['the address bar', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }, 200],
  ['localhost', { host: 'localhost' }, 200],
  ['IPv6', { host: '[::1]:4010' }, 200],
  ['the address of this machine in its network', { host: '192.168.0.7:4010' }, 200],
])('%s without an admin token: %j is answered with %i', async (_, headers, status) => {
  expect(await statusFor({ headers })).toBe(status)
})

test('a page that knows the admin token may ask', async () => {
  const headers = { origin: 'https://tools.example', authorization: 'Bearer admin' }
  expect(await statusFor({ adminToken: 'admin', headers })).toBe(200)
})

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['10.127.0.0', false],
  ['127.0.0.1.example.org', false],
])('%s is loopback: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected)
})

test.each([
  ['127.0.0.1', 'http://127.0.0.1:80'],
  ['0.0.0.0', 'http://127.0.0.1:80'],
  ['::', 'http://[::1]:80'],
  ['::1', 'http://[::1]:80'],
  ['host.example', 'http://host.example:80'],
])('a server on %s is reached at %s', (host, url) => {
  expect(urlOf(host, 80)).toBe(url)
})
