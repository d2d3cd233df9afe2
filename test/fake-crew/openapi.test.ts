/**
 * Whatever is asked of a fake crew, in either dialect, its answer is one that its OpenAPI document
 * lists.
 */
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FakeCrew } from '../../fake-crew/index.ts'
import { startFakeCrew } from '../../fake-crew/index.ts'
import { openApiDocument } from '../../fake-crew/openapi/document.ts'
import type { Dialect } from '../../src/crew/wire.ts'
import type { Judge, OpenApi } from './openapi/contract.ts'
import { asServed, judgeOf } from './openapi/contract.ts'
import type { PlainAnswer, PlainRequest } from './openapi/http.ts'
import { ask } from './openapi/http.ts'
import { SAMPLE, written } from './sample-profile.ts'
import { areExperimentsRun } from '../experiments.ts'

const DIALECTS: Dialect[] = ['interface', 'platform']
const INPUTS = ['topic', 'audience']
const RUNS = areExperimentsRun ? 150 : 40

const PROFILE = written(`
inputs: [topic, audience]
tasks:
  - { id: first, agent: A, duration: { uniform: { min: 0, max: 30ms } }, output: 64B }
  - { id: second, agent: B, duration: 10ms, output: 64B, failure: { chance: 50%, message: No } }
tokens: { user: { kickoff: false } }
limits: { body: 1kB }
`)

function documentOf(dialect: Dialect, url = 'http://127.0.0.1'): OpenApi {
  return asServed(openApiDocument({ dialect, url, inputs: INPUTS, limits: [] }))
}

const KICKOFF = JSON.stringify({ inputs: { topic: 'tea', audience: 'all' } })

const bodies = fc.oneof(
  fc.constant(KICKOFF),
  fc.constantFrom('', '{', 'null', '[]', '7', '{"inputs":[]}', '{"inputs":{"topic":"tea"}}'),
  fc.json({ maxDepth: 2 }),
  fc.constant(JSON.stringify({ inputs: { topic: 'x'.repeat(2_000), audience: '' } })),
)
const types = fc.constantFrom('application/json', 'application/json; charset=utf-8', 'text/plain')
const strangePaths = fc.constantFrom(
  '/',
  '/inputs/',
  '/input',
  '/kickoff/x',
  '/status',
  '/status/',
  '/status/a/b',
  '/nothing?x=1',
)

/** `known` stands for the ids of executions that really were started. */
function requests(crew: () => FakeCrew, known: () => string[]): fc.Arbitrary<PlainRequest> {
  const ids = fc.oneof(
    fc.nat(50).map((n) => known()[n % Math.max(1, known().length)] ?? 'none'),
    fc.uuid(),
    fc.webSegment().filter((segment) => segment !== '' && !/^\.\.?$/.test(segment)),
  )
  const paths = fc.oneof(
    fc.constantFrom('/inputs', '/inputs?limit=1', '/kickoff'),
    ids.map((id) => `/status/${id}`),
    strangePaths,
  )
  const credentials = fc.oneof(
    { weight: 6, arbitrary: fc.constant('organization') },
    { weight: 2, arbitrary: fc.constant('user') },
    { weight: 1, arbitrary: fc.constantFrom('', 'Bearer', 'Bearer wrong', 'Basic dTpw') },
  )
  const reading = fc.record({
    method: fc.constantFrom('GET', 'GET', 'HEAD', 'OPTIONS', 'DELETE', 'PUT', 'PATCH'),
    path: paths,
    credentials,
    type: fc.constant(undefined),
    body: fc.constant(null),
  })
  const writing = fc.record({
    method: fc.constantFrom('POST', 'POST', 'POST', 'PUT', 'DELETE'),
    path: fc.oneof({ weight: 4, arbitrary: fc.constant('/kickoff') }, paths),
    credentials,
    type: fc.option(types, { nil: undefined }),
    body: bodies,
  })
  return fc.oneof(reading, writing).map(({ method, path, body, credentials: kind, type }) => {
    const authorization = authorizationOf(kind, crew())
    return {
      method,
      path,
      body,
      headers: {
        ...(authorization === '' ? {} : { authorization }),
        ...(type === undefined ? {} : { 'content-type': type }),
      },
    }
  })
}

function authorizationOf(credentials: string, { token, userToken }: FakeCrew): string {
  if (credentials === 'organization') return `Bearer ${token}`
  return credentials === 'user' ? `Bearer ${userToken}` : credentials
}

describe.each(DIALECTS)('dialect %s', (dialect) => {
  let crew: FakeCrew
  let judge: Judge
  const known: string[] = []

  beforeAll(async () => {
    crew = await startFakeCrew({ profile: PROFILE, dialect })
    judge = judgeOf(documentOf(dialect, crew.url))
  })
  afterAll(async () => crew.stop())

  async function judged(asked: PlainRequest): Promise<PlainAnswer> {
    const answer = await ask(crew.url, asked)
    const faults = judge(asked, answer)
    if (faults.length > 0) throw new Error(JSON.stringify({ faults, asked, answer }))
    if (asked.path === '/kickoff' && answer.status === 200) {
      known.push((JSON.parse(answer.body) as { kickoff_id: string }).kickoff_id)
    }
    return answer
  }

  test('every answer to any request keeps the document', async () => {
    await fc.assert(
      fc.asyncProperty(
        requests(
          () => crew,
          () => known,
        ),
        async (asked) => {
          await expect(judged(asked)).resolves.toBeDefined()
        },
      ),
      { numRuns: RUNS, seed: 20_261_121, endOnFailure: true },
    )
  })

  test.each([
    ['a wrong token', { credentials: 'Bearer wrong' }, 401],
    ['a user token without the right', { credentials: 'user' }, 403],
    ['a body that is not JSON', { body: '{' }, dialect === 'interface' ? 400 : 500],
    ['a body of the wrong shape', { body: '[]' }, dialect === 'interface' ? 400 : 422],
    ['inputs missing', { body: '{"inputs":{}}' }, 422],
    ['a body too large', { body: ' '.repeat(2_000) }, 413],
    ['another type', { type: 'text/plain' }, 415],
    ['another method', { method: 'DELETE' }, 405],
    ['another path', { path: '/kick' }, 404],
    ['OPTIONS', { method: 'OPTIONS' }, 204],
    ['nothing wrong', {}, 200],
  ])('a kickoff with %s keeps it', async (_, change, status) => {
    const good = { method: 'POST', path: '/kickoff', body: KICKOFF, type: 'application/json' }
    const { credentials, type, ...asked } = { ...good, credentials: 'organization', ...change }
    const authorization = authorizationOf(credentials, crew)
    const answer = await judged({ ...asked, headers: { authorization, 'content-type': type } })
    expect(answer.status).toBe(status)
  })

  test('an execution keeps it from its start to its end, failed or completed', async () => {
    const headers = { authorization: `Bearer ${crew.token}` }
    const words = new Set<unknown>()
    for (let started = 0; started < 12; started++) {
      const kickoff = await judged({ method: 'POST', path: '/kickoff', headers, body: KICKOFF })
      const { kickoff_id: id } = JSON.parse(kickoff.body) as { kickoff_id: string }
      for (let polls = 0; polls < 400; polls++) {
        const { body } = await judged({ method: 'GET', path: `/status/${id}`, headers, body: null })
        const { status, state } = JSON.parse(body) as { status?: string; state?: string }
        const word = state ?? status
        words.add(word)
        if (/^(completed|error|SUCCESS|FAILED)$/.test(word ?? '')) break
      }
    }
    const ends = dialect === 'interface' ? ['running', 'completed', 'error'] : ['SUCCESS', 'FAILED']
    expect([...words]).toEqual(expect.arrayContaining(ends))
  })

  test.each([429, 503] as const)('a full crew answers %d as documented', async (status) => {
    const overLimit = { status, retryAfter: '3s' }
    const profile = { ...SAMPLE, stuck: 1, capacity: { workers: 1, queueLimit: 0, overLimit } }
    const full = await startFakeCrew({ profile, dialect })
    try {
      const headers = { authorization: `Bearer ${full.token}` }
      const kickoff: PlainRequest = { method: 'POST', path: '/kickoff', headers, body: KICKOFF }
      await ask(full.url, kickoff)
      const answer = await ask(full.url, kickoff)
      expect(answer.status).toBe(status)
      expect(judge(kickoff, answer)).toEqual([])
    } finally {
      await full.stop()
    }
  })

  test.each([502, 503, 504] as const)('a waking crew refuses with %d', async (status) => {
    const coldStart = {
      delay: '1h',
      idle: '1us',
      requests: 'refused',
      refusal: { status },
    } as const
    const asleep = await startFakeCrew({ profile: { ...SAMPLE, capacity: { coldStart } }, dialect })
    try {
      const document = await ask(asleep.url, read('/openapi.json'))
      const judgeHere = judgeOf(JSON.parse(document.body) as OpenApi)
      const kickoff: PlainRequest = { method: 'POST', path: '/kickoff', headers: {}, body: KICKOFF }
      for (const asked of [read('/inputs'), kickoff, read('/status/unknown')]) {
        const answer = await ask(asleep.url, asked)
        expect(answer.status).toBe(status)
        expect(answer.headers['retry-after']).toMatch(/^3[56]\d\d$/)
        expect(judgeHere(asked, answer)).toEqual([])
      }
    } finally {
      await asleep.stop()
    }
  })

  test('the control keeps it too, and the ledger its rows', async () => {
    for (const path of ['clock', 'profile', 'metrics', 'refusals', 'requests', 'requests?no=1'])
      await judged(read(`/__fake__/${path}`))
    const { body } = await judged(read('/__fake__/ledger'))
    const rows = body.trimEnd().split('\n')
    expect(rows.length).toBeGreaterThan(10)
    const rowJudge = judgeOf(rowDocument(dialect))
    for (const row of rows) {
      const answer = { status: 200, headers: { 'content-type': 'application/json' }, body: row }
      expect(rowJudge(read('/row'), answer)).toEqual([])
    }
    const put = { method: 'PUT', path: '/__fake__/profile', headers: {}, body: 'tasks: []' }
    expect((await judged(put)).status).toBe(422)
    const large = { ...put, body: `# ${'x'.repeat(1_100_000)}` }
    expect((await judged(large)).status).toBe(413)
    const advance = { ...put, method: 'POST', path: '/__fake__/clock/advance', body: '1s' }
    expect((await judged(advance)).status).toBe(422)
    await judged({ method: 'POST', path: '/__fake__/reset', headers: {}, body: null })
  })

  test.each([
    ['/__fake__/clock', 'POST', 'GET'],
    ['/__fake__/profile', 'DELETE', 'GET, PUT'],
    ['/__fake__/reset', 'GET', 'POST'],
    ['/__fake__/faults', 'PATCH', 'GET, POST, DELETE'],
    ['/__fake__/faults/one', 'OPTIONS', 'DELETE'],
    ['/openapi.json', 'POST', 'GET'],
  ])('%s does not know %s', async (path, method, allow) => {
    const answer = await judged({ method, path, headers: {}, body: null })
    expect([answer.status, answer.headers['allow']]).toEqual([405, allow])
  })

  test('the control of faults keeps it too', async () => {
    const path = '/__fake__/faults'
    const body = '{ name: one, hang: {}, operations: [inputs], chance: 0 }'
    const post = { method: 'POST', path, headers: {}, body }
    const remove = { method: 'DELETE', path: `${path}/one`, headers: {}, body: null }
    expect((await judged(post)).status).toBe(201)
    expect((await judged({ ...post, body: 'chance: 2' })).status).toBe(422)
    for (const place of [path, `${path}/marks`]) await judged(read(place))
    expect((await judged(remove)).status).toBe(204)
    expect((await judged(remove)).status).toBe(404)
    expect((await judged({ ...remove, path })).status).toBe(204)
  })

  test('the crew serves this very document', async () => {
    const { body } = await judged(read('/openapi.json'))
    expect(JSON.parse(body)).toEqual(JSON.parse(JSON.stringify(documentOf(dialect, crew.url))))
  })
})

function read(path: string): PlainRequest {
  return { method: 'GET', path, headers: {}, body: null }
}

/** A document whose one answer is a ledger row. */
function rowDocument(dialect: Dialect): OpenApi {
  const document = documentOf(dialect)
  const schema = { $ref: '#/components/schemas/LedgerRow' }
  const responses = { 200: { content: { 'application/json': { schema } } } }
  return { ...document, paths: { '/row': { get: { operationId: 'row', responses } } } }
}

describe('the judge can say no', () => {
  const asked = read('/inputs')
  const good = {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: '{"inputs":[]}',
  }
  const judge = judgeOf(documentOf('interface'))

  test.each([
    ['a status that is not listed', { ...good, status: 418 }],
    ['another content type', { ...good, headers: { 'content-type': 'text/html' } }],
    ['a body of the wrong shape', { ...good, body: '{"inputs":"topic"}' }],
    ['a field that is not in the document', { ...good, body: '{"inputs":[],"more":1}' }],
    ['a header missing', { ...good, status: 401, body: '{"error":"","message":""}' }],
  ])('%s', (_, answer) => {
    expect(judge(asked, good)).toEqual([])
    expect(judge(asked, answer)).not.toEqual([])
  })
})

test('a crew behind other paths documents them', () => {
  const paths = { inputs: '/v1/inputs', kickoff: '/v1/start', status: '/{id}/status' }
  const options = {
    dialect: 'platform',
    url: 'http://127.0.0.1:1',
    inputs: [],
    limits: [],
  } as const
  const document = openApiDocument({ ...options, paths })
  const documented = Object.keys(document['paths'] as object)
  expect(documented.slice(0, 3)).toEqual(['/v1/inputs', '/v1/start', '/{kickoff_id}/status'])
})
