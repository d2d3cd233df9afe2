/** What a client's test asks of a fake crew: which requests came, when, and what became of them. */
import { expect, onTestFinished, test } from 'vitest'
import type { FakeCrew, FakeCrewOptions, LedgerRequest } from '../../fake-crew/index.ts'
import { startFakeProxy } from '../../fake-crew/index.ts'
import { RequestJournal } from '../../fake-crew/model/records/journal.ts'
import { Client, INPUTS } from './client.ts'
import { ask, kickoff, started } from './live-client.ts'
import { SAMPLE, sampleProfile } from './sample-profile.ts'

const LIMITS = {
  body: 1_000,
  rules: [
    {
      name: 'reads',
      operations: ['inputs' as const],
      fixedWindow: { limit: 1, window: '1h', from: 'first hit' as const },
    },
  ],
}

async function start(options: FakeCrewOptions = {}): Promise<FakeCrew> {
  return started({ clock: 'manual', ...options })
}

/** Over HTTP, as programs in other languages read them. */
async function listed(url: string, query = ''): Promise<LedgerRequest[]> {
  const text = await (await fetch(`${url}/__fake__/requests${query}`)).text()
  return text
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as LedgerRequest]))
}

test('each request is there, with its time and what became of it', async () => {
  const crew = await start({ profile: { ...SAMPLE, limits: LIMITS } })
  const id = await kickoff({ ...crew, headers: { 'x-correlation-id': 'run/1' } })
  await crew.advance('3s')
  crew.fault({ name: 'gateway', status: { code: 503, headers: { 'retry-after': '2' } }, first: 1 })
  await ask({ ...crew, token: crew.userToken }, `/status/${id}`)
  await ask(crew, '/inputs')
  await ask(crew, '/inputs?again')
  await ask({ ...crew, token: 'guessed' }, '/nowhere')
  const rows = crew.requests()
  const plain = {
    method: 'GET',
    at_ms: 3_000,
    answered_ms: 3_000,
    inputs: null,
    correlation: null,
    kickoff_id: null,
    retry_after: null,
    refused_by: null,
    faults: [],
    reported: null,
    test: null,
    token: 'organization',
  }
  expect(rows).toEqual([
    {
      ...plain,
      operation: 'kickoff',
      method: 'POST',
      path: '/kickoff',
      at_ms: 0,
      answered_ms: 0,
      status: 200,
      kickoff_id: id,
      inputs: INPUTS,
      correlation: 'run/1',
    },
    {
      ...plain,
      operation: 'status',
      path: `/status/${id}`,
      status: 503,
      kickoff_id: id,
      token: 'user',
      retry_after: '2',
      faults: ['gateway'],
    },
    { ...plain, operation: 'inputs', path: '/inputs', status: 200 },
    {
      ...plain,
      operation: 'inputs',
      path: '/inputs?again',
      status: 429,
      refused_by: 'reads',
      retry_after: '3600',
    },
    { ...plain, operation: 'other', path: '/nowhere', status: 401, token: 'other' },
  ])
  expect(await listed(crew.url)).toEqual(rows)
})

test('a filter keeps those with its values, in code and over HTTP', async () => {
  const crew = await start()
  const ids = [await kickoff(crew), await kickoff(crew)]
  for (const id of [...ids, ...ids]) await ask(crew, `/status/${id}`)
  await ask(crew, '/status/none')
  expect(crew.requests({ operation: 'kickoff' })).toHaveLength(2)
  expect(crew.requests({ operation: 'status', kickoff_id: ids[0]! })).toHaveLength(2)
  expect(crew.requests({ status: 404 }).map(({ path }) => path)).toEqual(['/status/none'])
  expect(crew.requests({ refused_by: null })).toHaveLength(7)
  expect(await listed(crew.url, `?operation=status&kickoff_id=${ids[1]}`)).toEqual(
    crew.requests({ operation: 'status', kickoff_id: ids[1]! }),
  )
  expect(() => crew.requests({ operaton: 'status' } as never)).toThrow(
    'requests operaton: unknown option; allowed: operation, method',
  )
  expect((await fetch(`${crew.url}/__fake__/requests?nothing=1`)).status).toBe(422)
})

test('a request without an answer, of a full queue and of a waking crew say so', async () => {
  const capacity = {
    workers: 1,
    queueLimit: 0,
    coldStart: { delay: '1s', idle: '1h', requests: 'refused' as const },
  }
  const crew = await start({ profile: { ...SAMPLE, capacity } })
  await ask(crew, '/inputs')
  await crew.advance('1s')
  await kickoff(crew)
  await kickoff(crew)
  crew.fault({ empty: {} })
  await expect(ask(crew, '/inputs')).rejects.toThrow('fetch failed')
  expect(
    crew.requests().map(({ status, answered_ms, refused_by }) => [status, answered_ms, refused_by]),
  ).toEqual([
    [503, 0, 'cold start'],
    [200, 1_000, null],
    [503, 1_000, 'queue'],
    [null, null, null],
  ])
})

test('a proxy has them too, of requests that pass and of those that fail', async () => {
  const crew = await start({ clock: 'real' })
  const proxy = await startFakeProxy({ target: crew.url, profile: { ...SAMPLE, limits: LIMITS } })
  onTestFinished(async () => proxy.stop())
  for (const path of ['/inputs', '/inputs', '/status/none']) {
    await ask({ url: proxy.url, token: crew.token }, path)
  }
  expect(await listed(proxy.url)).toMatchObject([
    { path: '/inputs', status: 200, refused_by: null, token: 'other' },
    { path: '/inputs', status: 429, refused_by: 'reads' },
    { path: '/status/none', kickoff_id: 'none', status: 404 },
  ])
})

test('the latest are kept, by number and by size; those that are not, are counted', () => {
  const journal = new RequestJournal()
  const client = new Client(sampleProfile(), { journal })
  for (let n = 0; n < 20_010; n++) client.ask('GET', `/inputs?${n}`)
  expect(journal.rows().length + journal.dropped).toBe(20_010)
  expect(journal.rows().length).toBeGreaterThanOrEqual(10_000)
  expect(journal.rows().at(-1)?.path).toBe('/inputs?20009')
  for (let n = 0; n < 40; n++) {
    client.ask('POST', '/kickoff', { body: JSON.stringify({ inputs: 'x'.repeat(1_000_000) }) })
  }
  expect(journal.rows().length).toBeLessThan(40)
  expect(journal.rows().length + journal.dropped).toBe(20_050)
  expect(client.crew.metrics(0)).toContain(
    `fake_crew_marks_dropped_total{list="requests"} ${journal.dropped}\n`,
  )
})

test('a reset forgets them', async () => {
  const crew = await start()
  await kickoff(crew)
  crew.reset()
  expect([crew.requests(), crew.requestsDropped]).toEqual([[], 0])
})
