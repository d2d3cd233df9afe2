import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { urlOf } from '../../../fake-crew/server/address.ts'
import { isLoopback } from '../../../src/loopback.ts'
import { addControl } from '../../../fake-crew/server/control.ts'
import { createCrew } from '../../../fake-crew/model/crew.ts'
import { Live } from '../../../fake-crew/server/live.ts'
import { TOKENS } from '../client.ts'
import { sampleProfile } from '../sample-profile.ts'

async function statusFrom(remoteAddress: string, adminToken: string | null, token?: string) {
  const app = fastify()
  const live = new Live(sampleProfile(), (profile) => createCrew(profile, { tokens: TOKENS }))
  addControl(app, { live, ledger: () => live.model.ledger(live.nowMicros()), adminToken })
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const { statusCode } = await app.inject({ url: '/clock', remoteAddress, headers })
  await app.close()
  return statusCode
}

test.each([
  ['127.0.0.1', null, undefined, 200],
  ['::1', 'admin', undefined, 200],
  ['10.0.0.7', null, undefined, 401],
  ['10.0.0.7', 'admin', undefined, 401],
  ['10.0.0.7', 'admin', TOKENS.organization, 401],
  ['10.0.0.7', 'admin', 'admin', 200],
])('from %s with admin token %s, presenting %s: %i', async (address, admin, token, status) => {
  expect(await statusFrom(address, admin, token)).toBe(status)
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
