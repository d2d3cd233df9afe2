/** A clock that stands still but for `advance`: everything of the crew moves with it, and nothing else. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FakeCrew, FakeCrewOptions } from '../../fake-crew/index.ts'
import { startFakeCrew } from '../../fake-crew/index.ts'
import { checkProfile } from '../../fake-crew/profiles.ts'
import { Client, INPUTS } from './client.ts'
import { ask as askOn, kickoff, receiver, started } from './live-client.ts'
import { SAMPLE, written } from './sample-profile.ts'
import { areExperimentsRun } from '../experiments.ts'

async function start(yaml = '', options: FakeCrewOptions = {}): Promise<FakeCrew> {
  const profile = { ...SAMPLE, ...written(yaml || '{}') }
  return started({ profile, clock: 'manual', ...options })
}

/** Each request on a connection of its own. */
async function ask(crew: FakeCrew, path: string, body?: string): Promise<Response> {
  const headers = { connection: 'close' }
  return askOn(crew, path, body === undefined ? { headers } : { headers, body })
}

async function statusOf(crew: FakeCrew, id: string): Promise<unknown> {
  const answer = await ask(crew, `/status/${id}`)
  return answer.status === 200
    ? ((await answer.json()) as { status: string }).status
    : answer.status
}

/** The statuses of `GET /inputs` now and after each of these times. */
async function statusesAfter(crew: FakeCrew, durations: readonly string[]): Promise<number[]> {
  const statuses = [(await ask(crew, '/inputs')).status]
  for (const duration of durations) {
    await crew.advance(duration)
    statuses.push((await ask(crew, '/inputs')).status)
  }
  return statuses
}

describe('advance moves', () => {
  test('executions, the queue, the ledger and retention', async () => {
    const crew = await start('{ capacity: { workers: 1 }, retention: 1m }')
    const [first, second] = [await kickoff(crew), await kickoff(crew)]
    await crew.advance('2999ms')
    expect([await statusOf(crew, first), await statusOf(crew, second)]).toEqual([
      'running',
      'running',
    ])
    await crew.advance('1ms')
    expect([await statusOf(crew, first), await statusOf(crew, second)]).toEqual([
      'completed',
      'running',
    ])
    await crew.advance('10m')
    expect(await statusOf(crew, first)).toBe(404)
    expect(crew.ledger()).toMatchObject([
      { accepted_ms: 0, started_ms: 0, ended_ms: 3_000 },
      { accepted_ms: 0, started_ms: 3_000, ended_ms: 6_000 },
    ])
  })

  test('limits, and dates in answers with them', async () => {
    const refusal = 'refusal: { retryAfter: date }'
    const window = 'fixedWindow: { limit: 1, window: 1h, from: first hit }'
    const crew = await start(`{ limits: { rules: [{ name: a, ${window}, ${refusal} }] } }`)
    expect(await statusesAfter(crew, ['59m', '1m'])).toEqual([200, 429, 200])
    await crew.advance('20m')
    const { headers } = await ask(crew, '/inputs')
    const waitMs = Date.parse(headers.get('retry-after')!) - Date.parse(headers.get('date')!)
    expect(Math.abs(waitMs - 40 * 60_000)).toBeLessThanOrEqual(1_000)
  })

  test('faults, tokens and connections', async () => {
    const crew = await start(`
faults:
  - { name: outage, status: { code: 503 }, window: { from: 1m, for: 1m } }
  - { denied: {}, window: { from: 5m } }`)
    expect(await statusesAfter(crew, ['1m', '1m', '3m'])).toEqual([200, 503, 200, 401])
    crew.clear()
    crew.fault({ refuse: {}, window: { from: '1s', for: '30s' } })
    await crew.advance('2s')
    await expect(ask(crew, '/inputs')).rejects.toThrow('fetch failed')
    await crew.advance('30s')
    expect((await ask(crew, '/inputs')).status).toBe(200)
  })

  test('what is held back, slow or in pieces, and nothing else does', async () => {
    const crew = await start('{ http: { latency: { inputs: 1h } } }')
    expect((await ask(crew, '/inputs')).status).toBe(200)
    const slow = crew.fault({ latency: '10m' })
    let isAnswered = false
    const late = ask(crew, '/inputs').then(() => (isAnswered = true))
    await expect.poll(() => crew.requests().length).toBe(2)
    await crew.advance('599s')
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(isAnswered).toBe(false)
    await crew.advance('1s')
    expect(await late).toBe(true)
    slow.end()
    crew.fault({ drip: { pieces: 3, over: '1h' } })
    const dripping = ask(crew, '/inputs').then(async (answer) => answer.json())
    await expect.poll(() => crew.requests().length).toBe(3)
    await crew.advance('2h')
    expect(await dripping).toEqual({ inputs: ['topic', 'audience'] })
  })
})

test('over HTTP, and only what is a duration', async () => {
  const crew = await start()
  const post = async (body: string, { url } = crew): Promise<Response> =>
    fetch(`${url}/__fake__/clock/advance`, { method: 'POST', body })
  const id = await kickoff(crew)
  const moved = await post('10m\n')
  expect([moved.status, ((await moved.json()) as { now_ms: number }).now_ms]).toEqual([
    200, 600_000,
  ])
  expect(await statusOf(crew, id)).toBe('completed')
  const wrong = await post('-1s')
  expect([wrong.status, await wrong.text()]).toEqual([422, expect.stringMatching('a duration')])
  await expect(crew.advance(1_000 as never)).rejects.toThrow(
    /^advance: expected a duration like .* \(found 1000\)$/,
  )
  const real = await started()
  expect((await post('1s', real)).status).toBe(422)
  await expect(real.advance('1s')).rejects.toThrow('the clock is real')
  await expect(startFakeCrew({ clock: 'fast' as never })).rejects.toThrow(
    'clock: expected "manual"',
  )
})

const PROFILE = written(`
inputs: [topic, audience]
tasks:
  - { id: a, agent: A, duration: { uniform: { min: 0, max: 4s } }, failure: { chance: 20% } }
  - { id: b, agent: B, duration: 1s, asks: { for: 3s, chance: 50% } }
capacity: { workers: 1, queueLimit: 3 }
limits: { rules: [{ name: polls, operations: [status], tokenBucket: { rate: 1/s, capacity: 2 } }] }
webhooks: { delay: { uniform: { min: 0, max: 1s } }, lost: 20%, retry: { attempts: 3, wait: 700ms } }
faults: [{ restart: { loses: running }, window: { from: 9s } }, { stuck: {}, nth: 4 }]
`)

test('any order of advance and requests gives the ledger of the same times in virtual time', async () => {
  const { url } = await receiver((path) => (path === '/task' ? 500 : 204))
  const hooks = { taskWebhookUrl: `${url}/task`, crewWebhookUrl: `${url}/crew` }
  const body = JSON.stringify({ inputs: INPUTS, ...hooks })
  const statusOf = (push: { url: string }): number =>
    push.url === hooks.taskWebhookUrl ? 500 : 204
  const steps = fc.array(
    fc.oneof(fc.constant('kickoff'), fc.constant('poll'), fc.integer({ min: 1, max: 3_000 })),
    { minLength: 1, maxLength: 25 },
  )
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(1_000), async (list, seed) => {
      const crew = await startFakeCrew({ profile: PROFILE, clock: 'manual', seed, idSeed: 0 })
      const { profile } = checkProfile({ ...PROFILE, seed }, 'x')
      const client = new Client(profile)
      let atMicros = 0
      const [real, virtual]: [unknown[], unknown[]] = [[], []]
      try {
        for (const step of list) {
          if (typeof step === 'number') {
            await crew.advance(`${step}ms`)
            client.push(atMicros, (atMicros += step * 1_000), statusOf)
          } else if (step === 'kickoff') {
            real.push((await ask(crew, '/kickoff', body)).status)
            virtual.push(client.ask('POST', '/kickoff', { body }, atMicros).status)
          } else {
            const id = crew.ledger().at(-1)?.kickoff_id ?? 'none'
            const answer = await ask(crew, `/status/${id}`)
            real.push([answer.status, await answer.text()])
            const { status, body } = client.status(id, atMicros)
            virtual.push([status, body])
          }
        }
        await crew.advance('1h')
        client.push(atMicros, (atMicros += 3_600_000_000), statusOf)
        expect(real).toEqual(virtual)
        expect(crew.ledger()).toEqual([...client.crew.ledger(atMicros)])
      } finally {
        await crew.stop()
      }
    }),
    { seed: 40, numRuns: areExperimentsRun ? 40 : 8 },
  )
})
