import { describe, expect, test } from 'vitest'
import type { FakeRequest, Reply } from '../../../fake-crew/model/exchange.ts'
import { internalError } from '../../../fake-crew/model/crew.ts'
import { Client, bodyOf } from '../client.ts'
import { sampleProfile } from '../sample-profile.ts'

const FOREIGN = '8b0b9f0e-4a07-4d0a-9a55-0123456789ab'
const body = (value: unknown): Partial<FakeRequest> => ({ body: JSON.stringify(value) })
const withHeaders = (headers: Record<string, string>): Partial<FakeRequest> => ({
  ...body({ inputs: { topic: 'a', audience: 'b' } }),
  headers,
})

interface Row {
  title: string
  method: string
  path: string
  change?: Partial<FakeRequest>
  /** [status, error or detail, message] */
  interface: [number, string, (string | RegExp)?]
  platform: [number, unknown]
  headers?: Record<string, string>
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}

const UNAUTHORIZED: Row['interface'] = [401, 'Unauthorized', 'Invalid or missing bearer token']
const WRONG_TOKEN: Row['platform'] = [401, 'Invalid or missing authentication credentials']

const ROWS: Row[] = [
  {
    title: 'inputs that are nested too deep',
    method: 'POST',
    path: '/kickoff',
    change: { body: `{"inputs":{"topic":${nested(400)},"audience":"b"}}` },
    interface: [422, 'Validation Error', 'The body is nested more than 64 levels deep'],
    platform: [422, 'The body is nested more than 64 levels deep'],
  },
  {
    title: 'a webhook URL that is no text',
    method: 'POST',
    path: '/kickoff',
    change: body({ inputs: { topic: 'a', audience: 'b' }, crewWebhookUrl: {} }),
    interface: [400, 'Bad Request', '"crewWebhookUrl" must be a string or null'],
    platform: [422, '"crewWebhookUrl" must be a string or null'],
  },
  {
    title: 'meta that is no object',
    method: 'POST',
    path: '/kickoff',
    change: body({ inputs: { topic: 'a', audience: 'b' }, meta: [] }),
    interface: [400, 'Bad Request', '"meta" must be an object or null'],
    platform: [422, '"meta" must be an object or null'],
  },
  {
    title: 'a wrong token',
    method: 'GET',
    path: '/inputs',
    change: { headers: { authorization: 'Bearer nobody' } },
    interface: UNAUTHORIZED,
    platform: WRONG_TOKEN,
    headers: { 'www-authenticate': 'Bearer' },
  },
  {
    title: 'another scheme',
    method: 'GET',
    path: '/inputs',
    change: { headers: { authorization: 'Basic org-token' } },
    interface: UNAUTHORIZED,
    platform: WRONG_TOKEN,
  },
  {
    title: 'a wrong token before an unknown path',
    method: 'GET',
    path: '/nowhere',
    change: { headers: { authorization: 'Bearer nobody' } },
    interface: UNAUTHORIZED,
    platform: WRONG_TOKEN,
  },
  {
    title: 'a wrong token before a body that is too large',
    method: 'POST',
    path: '/kickoff',
    change: { oversize: true, headers: { authorization: 'Bearer nobody' } },
    interface: UNAUTHORIZED,
    platform: WRONG_TOKEN,
  },
  {
    title: 'an operation that user tokens may not use',
    method: 'POST',
    path: '/kickoff',
    change: { headers: { authorization: 'bearer user-token' } },
    interface: [403, 'Forbidden', 'A user token may not use kickoff'],
    platform: [403, 'Forbidden'],
  },
  {
    title: 'an unknown path',
    method: 'GET',
    path: '/nowhere?x=1',
    interface: [404, 'Not Found', 'No such path: /nowhere'],
    platform: [404, 'Not Found'],
  },
  {
    title: 'a status path without an id',
    method: 'GET',
    path: '/status/',
    interface: [404, 'Not Found'],
    platform: [404, 'Not Found'],
  },
  {
    title: 'an id that was never given',
    method: 'GET',
    path: `/status/${FOREIGN}`,
    interface: [404, 'Execution not found', `No execution found with ID: ${FOREIGN}`],
    platform: [200, undefined],
  },
  {
    title: 'an id that is no UUID',
    method: 'GET',
    path: '/status/nonsense%20here',
    interface: [404, 'Execution not found', 'No execution found with ID: nonsense here'],
    platform: [200, undefined],
  },
  {
    title: 'a method that a read path has not',
    method: 'DELETE',
    path: '/inputs',
    interface: [405, 'Method Not Allowed', /DELETE.*GET, HEAD, OPTIONS/],
    platform: [405, 'Method Not Allowed'],
    headers: { allow: 'GET, HEAD, OPTIONS' },
  },
  {
    title: 'a method that the kickoff path has not',
    method: 'GET',
    path: '/kickoff',
    interface: [405, 'Method Not Allowed'],
    platform: [405, 'Method Not Allowed'],
    headers: { allow: 'POST, OPTIONS' },
  },
  {
    title: 'a body that the host gave up reading',
    method: 'POST',
    path: '/kickoff',
    change: { oversize: true },
    interface: [413, 'Content Too Large', /1000 bytes/],
    platform: [413, 'Content Too Large'],
  },
  {
    title: 'a body whose characters fit the limit and whose bytes do not',
    method: 'POST',
    path: '/kickoff',
    change: { body: 'ö'.repeat(501) },
    interface: [413, 'Content Too Large'],
    platform: [413, 'Content Too Large'],
  },
  {
    title: 'another content type',
    method: 'POST',
    path: '/kickoff',
    change: withHeaders({ 'content-type': 'text/plain' }),
    interface: [415, 'Unsupported Media Type'],
    platform: [415, 'Unsupported Media Type'],
  },
  {
    title: 'a content encoding',
    method: 'POST',
    path: '/kickoff',
    change: withHeaders({ 'content-encoding': 'gzip' }),
    interface: [415, 'Unsupported Media Type'],
    platform: [415, 'Unsupported Media Type'],
  },
  {
    title: 'no body',
    method: 'POST',
    path: '/kickoff',
    interface: [400, 'Bad Request', 'The body is not valid JSON'],
    platform: [500, 'Internal Server Error'],
  },
  {
    title: 'a body that is no JSON',
    method: 'POST',
    path: '/kickoff',
    change: { body: '{"inputs":' },
    interface: [400, 'Bad Request', 'The body is not valid JSON'],
    platform: [500, 'Internal Server Error'],
  },
  {
    title: 'a body that is no object',
    method: 'POST',
    path: '/kickoff',
    change: body([1]),
    interface: [400, 'Bad Request', 'The body must be a JSON object'],
    platform: [422, 'The body must be a JSON object'],
  },
  {
    title: 'inputs that are no object',
    method: 'POST',
    path: '/kickoff',
    change: body({ inputs: ['topic'] }),
    interface: [400, 'Bad Request', '"inputs" must be an object'],
    platform: [422, '"inputs" must be an object'],
  },
  {
    title: 'missing inputs',
    method: 'POST',
    path: '/kickoff',
    change: body({ inputs: { other: 1 } }),
    interface: [422, 'Validation Error', 'Missing required inputs'],
    platform: [422, 'Missing inputs: audience, topic'],
  },
  {
    title: 'inputs that only every object has',
    method: 'POST',
    path: '/kickoff',
    change: { body: '{"inputs":{"__proto__":{"topic":1,"audience":1}}}' },
    interface: [422, 'Validation Error'],
    platform: [422, 'Missing inputs: audience, topic'],
  },
]

/** The `detail` of a platform error, or the text of one that is no JSON. */
function detailOf({ headers, body }: Reply): unknown {
  if (headers['content-type'] === 'text/plain; charset=utf-8') return body
  return (JSON.parse(body ?? '') as { detail: unknown }).detail
}

describe('the interface dialect refuses', () => {
  test.each(ROWS)('$title', ({ method, path, change, interface: expected, headers = {} }) => {
    const reply = new Client(sampleProfile()).ask(method, path, change)
    const [status, error, message = /./] = expected
    const told = bodyOf(reply) as { error: string; message: string }
    expect([reply.status, told.error]).toEqual([status, error])
    expect(told.message).toMatch(message)
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      ...headers,
    })
  })

  test('missing inputs by name, in the order of the profile', () => {
    const reply = new Client(sampleProfile()).ask('POST', '/kickoff', body({}))
    expect(bodyOf(reply)).toEqual({
      error: 'Validation Error',
      message: 'Missing required inputs',
      details: { missing_inputs: ['topic', 'audience'] },
    })
  })
})

describe('the platform dialect refuses', () => {
  test.each(ROWS)('$title', ({ method, path, change, platform: [status, detail] }) => {
    const reply = new Client(sampleProfile({ dialect: 'platform' })).ask(method, path, change)
    expect([reply.status, detailOf(reply)]).toEqual([status, detail])
  })

  test('a request without credentials in other words than a wrong token', () => {
    const client = new Client(sampleProfile({ dialect: 'platform' }))
    const reply = client.ask('GET', '/inputs', { headers: { authorization: undefined } })
    expect(bodyOf(reply)).toEqual({ detail: 'Not authenticated' })
  })

  test('an unknown id with 200 and a state', () => {
    const client = new Client(sampleProfile({ dialect: 'platform' }))
    expect(bodyOf(client.ask('GET', `/status/${FOREIGN}`))).toMatchObject({
      state: 'NOT FOUND',
      status: 'Task not found or Invalid kickoff id',
    })
  })
})

test('an error of the model itself is told as documented', () => {
  expect(internalError('interface')).toMatchObject({
    status: 500,
    body: '{"error":"Internal Server Error","message":"An unexpected error occurred"}',
  })
})
