/** What the fake crew refuses, and with which words, in both dialects. */
import { expect, test } from 'vitest'
import type { FakeRequest } from '../../../fake-crew/model/exchange.ts'
import { internalError } from '../../../fake-crew/model/front.ts'
import { Client } from '../client.ts'
import { sampleProfile } from '../sample-profile.ts'

type Change = Partial<FakeRequest>
type Refused = readonly [title: string, request: string, change?: Change]

const FOREIGN = '8b0b9f0e-4a07-4d0a-9a55-0123456789ab'
const TOPIC = { topic: 'a', audience: 'b' }
const NOBODY = { authorization: 'Bearer nobody' }
const POST = 'POST /kickoff'

const body = (value: unknown): Change => ({ body: JSON.stringify(value) })
const withHeaders = (headers: Change['headers'] & {}): Change => ({
  ...body({ inputs: TOPIC }),
  headers,
})
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

const REFUSED: readonly Refused[] = [
  [
    'inputs that are nested too deep',
    POST,
    { body: `{"inputs":{"topic":${nested(400)},"audience":"b"}}` },
  ],
  ['a webhook URL that is no text', POST, body({ inputs: TOPIC, crewWebhookUrl: {} })],
  ['meta that is no object', POST, body({ inputs: TOPIC, meta: [] })],
  ['no token', 'GET /inputs', { headers: { authorization: undefined } }],
  ['a wrong token', 'GET /inputs', { headers: NOBODY }],
  ['another scheme', 'GET /inputs', { headers: { authorization: 'Basic org-token' } }],
  ['a wrong token before an unknown path', 'GET /nowhere', { headers: NOBODY }],
  ['a wrong token before a body that is too large', POST, { oversize: true, headers: NOBODY }],
  [
    'an operation that user tokens may not use',
    POST,
    { headers: { authorization: 'bearer user-token' } },
  ],
  ['an unknown path', 'GET /nowhere?x=1'],
  ['a status path without an id', 'GET /status/'],
  ['an id that was never given', `GET /status/${FOREIGN}`],
  ['an id that is no UUID', 'GET /status/nonsense%20here'],
  ['a method that a read path has not', 'DELETE /inputs'],
  ['a method that the kickoff path has not', 'GET /kickoff'],
  ['a body that the host gave up reading', POST, { oversize: true }],
  ['a body whose characters fit the limit and whose bytes do not', POST, { body: 'ö'.repeat(501) }],
  ['another content type', POST, withHeaders({ 'content-type': 'text/plain' })],
  ['a content encoding', POST, withHeaders({ 'content-encoding': 'gzip' })],
  ['no body', POST],
  ['a body that is no JSON', POST, { body: '{"inputs":' }],
  ['a body that is no object', POST, body([1])],
  ['inputs that are no object', POST, body({ inputs: ['topic'] })],
  ['missing inputs', POST, body({ inputs: { other: 1 } })],
  ['no inputs', POST, body({})],
  [
    'inputs that only every object has',
    POST,
    { body: '{"inputs":{"__proto__":{"topic":1,"audience":1}}}' },
  ],
]

test('each refusal has status, headers and body of its dialect', async () => {
  const texts = REFUSED.map(([title, request, change]) => {
    const [method = '', path = ''] = request.split(' ')
    const answers = (['interface', 'platform'] as const).map((dialect) => {
      const reply = new Client(sampleProfile({ dialect })).ask(method, path, change)
      return `${reply.status} ${JSON.stringify(reply.headers)}\n  ${reply.body}`
    })
    return `==== ${title}: ${request}\n${answers.join('\n')}\n`
  })
  await expect(texts.join('\n')).toMatchFileSnapshot('../../golden/fake-crew/refusals.txt')
})

test('an error of the model itself is told as documented', () => {
  expect(internalError('interface')).toMatchObject({
    status: 500,
    body: '{"error":"Internal Server Error","message":"An unexpected error occurred"}',
  })
})
