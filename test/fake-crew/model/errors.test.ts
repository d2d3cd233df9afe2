import { describe, expect, test } from 'vitest'
import type { FakeRequest, Reply } from '../../../fake-crew/model/exchange.ts'
import { internalError } from '../../../fake-crew/model/front.ts'
import { Client, bodyOf } from '../client.ts'
import { sampleProfile } from '../sample-profile.ts'

const FOREIGN = '8b0b9f0e-4a07-4d0a-9a55-0123456789ab'
const body = (value: unknown): Partial<FakeRequest> => ({ body: JSON.stringify(value) })
const withHeaders = (headers: Record<string, string>): Partial<FakeRequest> => ({
  ...body({ inputs: { topic: 'a', audience: 'b' } }),
  headers,
})

type Row = [
  title: string,
  method: string,
  path: string,
  change: Partial<FakeRequest>,
  documented: [status: number, error: string, message?: string | RegExp],
  platform: [status: number, detail: unknown],
  headers?: Record<string, string> | undefined,
]

function post(
  title: string,
  change: Partial<FakeRequest>,
  ...answers: [Row[4], Row[5], Row[6]?]
): Row {
  return [title, 'POST', '/kickoff', change, ...answers]
}

function get(title: string, path: string, ...answers: [Row[4], Row[5], Row[6]?]): Row {
  return [title, 'GET', path, {}, ...answers]
}

/** Statuses whose words are the same in both dialects. */
function alike(status: number, words: string): [Row[4], Row[5]] {
  return [
    [status, words],
    [status, words],
  ]
}

const TOPIC = { topic: 'a', audience: 'b' }
const TOO_DEEP = 'The body is nested more than 64 levels deep'
const WEBHOOK = '"crewWebhookUrl" must be a string or null'
const META = '"meta" must be an object or null'
const UNAUTHORIZED: Row[4] = [401, 'Unauthorized', 'Invalid or missing bearer token']
const WRONG_TOKEN: Row[5] = [401, 'Invalid or missing authentication credentials']
const NOBODY = { authorization: 'Bearer nobody' }
const NO_JSON: [Row[4], Row[5]] = [
  [400, 'Bad Request', 'The body is not valid JSON'],
  [500, 'Internal Server Error'],
]

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}

const ROWS: Row[] = [
  post(
    'inputs that are nested too deep',
    { body: `{"inputs":{"topic":${nested(400)},"audience":"b"}}` },
    [422, 'Validation Error', TOO_DEEP],
    [422, TOO_DEEP],
  ),
  post(
    'a webhook URL that is no text',
    body({ inputs: TOPIC, crewWebhookUrl: {} }),
    [400, 'Bad Request', WEBHOOK],
    [422, WEBHOOK],
  ),
  post(
    'meta that is no object',
    body({ inputs: TOPIC, meta: [] }),
    [400, 'Bad Request', META],
    [422, META],
  ),
  [
    'a wrong token',
    'GET',
    '/inputs',
    { headers: NOBODY },
    UNAUTHORIZED,
    WRONG_TOKEN,
    { 'www-authenticate': 'Bearer' },
  ],
  [
    'another scheme',
    'GET',
    '/inputs',
    { headers: { authorization: 'Basic org-token' } },
    UNAUTHORIZED,
    WRONG_TOKEN,
  ],
  [
    'a wrong token before an unknown path',
    'GET',
    '/nowhere',
    { headers: NOBODY },
    UNAUTHORIZED,
    WRONG_TOKEN,
  ],
  post(
    'a wrong token before a body that is too large',
    { oversize: true, headers: NOBODY },
    UNAUTHORIZED,
    WRONG_TOKEN,
  ),
  post(
    'an operation that user tokens may not use',
    { headers: { authorization: 'bearer user-token' } },
    [403, 'Forbidden', 'A user token may not use kickoff'],
    [403, 'Forbidden'],
  ),
  get(
    'an unknown path',
    '/nowhere?x=1',
    [404, 'Not Found', 'No such path: /nowhere'],
    [404, 'Not Found'],
  ),
  get('a status path without an id', '/status/', ...alike(404, 'Not Found')),
  get(
    'an id that was never given',
    `/status/${FOREIGN}`,
    [404, 'Execution not found', `No execution found with ID: ${FOREIGN}`],
    [200, undefined],
  ),
  get(
    'an id that is no UUID',
    '/status/nonsense%20here',
    [404, 'Execution not found', 'No execution found with ID: nonsense here'],
    [200, undefined],
  ),
  [
    'a method that a read path has not',
    'DELETE',
    '/inputs',
    {},
    [405, 'Method Not Allowed', /DELETE.*GET, HEAD, OPTIONS/],
    [405, 'Method Not Allowed'],
    { allow: 'GET, HEAD, OPTIONS' },
  ],
  get('a method that the kickoff path has not', '/kickoff', ...alike(405, 'Method Not Allowed'), {
    allow: 'POST, OPTIONS',
  }),
  post(
    'a body that the host gave up reading',
    { oversize: true },
    [413, 'Content Too Large', /1000 bytes/],
    [413, 'Content Too Large'],
  ),
  post(
    'a body whose characters fit the limit and whose bytes do not',
    { body: 'ö'.repeat(501) },
    ...alike(413, 'Content Too Large'),
  ),
  post(
    'another content type',
    withHeaders({ 'content-type': 'text/plain' }),
    ...alike(415, 'Unsupported Media Type'),
  ),
  post(
    'a content encoding',
    withHeaders({ 'content-encoding': 'gzip' }),
    ...alike(415, 'Unsupported Media Type'),
  ),
  post('no body', {}, ...NO_JSON),
  post('a body that is no JSON', { body: '{"inputs":' }, ...NO_JSON),
  post(
    'a body that is no object',
    body([1]),
    [400, 'Bad Request', 'The body must be a JSON object'],
    [422, 'The body must be a JSON object'],
  ),
  post(
    'inputs that are no object',
    body({ inputs: ['topic'] }),
    [400, 'Bad Request', '"inputs" must be an object'],
    [422, '"inputs" must be an object'],
  ),
  post(
    'missing inputs',
    body({ inputs: { other: 1 } }),
    [422, 'Validation Error', 'Missing required inputs'],
    [422, 'Missing inputs: audience, topic'],
  ),
  post(
    'inputs that only every object has',
    { body: '{"inputs":{"__proto__":{"topic":1,"audience":1}}}' },
    [422, 'Validation Error'],
    [422, 'Missing inputs: audience, topic'],
  ),
]

/** The `detail` of a platform error, or the text of one that is no JSON. */
function detailOf({ headers, body }: Reply): unknown {
  if (headers['content-type'] === 'text/plain; charset=utf-8') return body
  return (JSON.parse(body ?? '') as { detail: unknown }).detail
}

describe('the interface dialect refuses', () => {
  test.each(ROWS)('%s', (_, method, path, change, expected, __, headers = {}) => {
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
  test.each(ROWS)('%s', (_, method, path, change, __, [status, detail]) => {
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
