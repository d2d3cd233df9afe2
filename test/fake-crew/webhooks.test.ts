import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { FakeCrewOptions, WrittenProfile } from '../../fake-crew/index.ts'
import { ask, receiver, started } from './live-client.ts'

const PROFILE = {
  inputs: ['topic'],
  tasks: [
    { id: 'research', agent: 'Researcher', duration: '2s' },
    { id: 'write', agent: 'Writer', duration: '3s' },
  ],
} satisfies WrittenProfile

async function pushing(webhooks: WrittenProfile['webhooks'] = {}, options: FakeCrewOptions = {}) {
  const profile = { ...PROFILE, webhooks }
  const crew = await started({ profile, clock: 'manual', ...options })
  const kickoff = async (members: object): Promise<string> => {
    const body = JSON.stringify({ inputs: { topic: 'bees' }, ...members })
    const answer = await ask(crew, '/kickoff', { body })
    const { kickoff_id: id } = (await answer.json()) as { kickoff_id: string }
    return id
  }
  return { crew, kickoff }
}

test('pushes steps, tasks and the result to the webhooks that a kickoff names, when they happen', async () => {
  const { url, received } = await receiver()
  const { crew, kickoff } = await pushing()
  const id = await kickoff({
    meta: { tenant: 'a' },
    stepWebhookUrl: `${url}/step`,
    taskWebhookUrl: `${url}/task`,
    crewWebhookUrl: `${url}/crew`,
  })
  await crew.advance('1999ms')
  expect(received).toEqual([])
  await crew.advance('1ms')
  expect(received.map(({ path }) => path).sort()).toEqual(['/step', '/task'])
  await crew.advance('3s')
  expect(received).toHaveLength(5)
  const last = received.find(({ path }) => path === '/crew')!
  expect(last.body).toMatchObject({ kickoff_id: id, meta: { tenant: 'a' }, result_json: null })
  expect(last.headers.authorization).toBeUndefined()
  const [row] = crew.ledger()
  expect(row!.pushes!.map(({ hook, reports, at_ms }) => [hook, reports.join(), at_ms])).toEqual([
    ['step', 'step', row!.accepted_ms + 2_000],
    ['task', 'task', row!.accepted_ms + 2_000],
    ['step', 'step', row!.accepted_ms + 5_000],
    ['task', 'task', row!.accepted_ms + 5_000],
    ['crew', 'completed', row!.accepted_ms + 5_000],
  ])
  expect(row!.pushes!.flatMap(({ sends }) => sends.map(({ status }) => status))).toEqual(
    Array.from({ length: 5 }, () => 204),
  )
})

test('streams the chosen events with a bearer token, and in batches if not in real time', async () => {
  const { url, received } = await receiver()
  const { crew, kickoff } = await pushing()
  const events = ['crew_kickoff_started', 'task_completed', 'crew_kickoff_completed', 'llm_call']
  const webhooks = {
    events,
    url,
    realtime: false,
    authentication: { strategy: 'bearer', token: 'sesame' },
  }
  await kickoff({ webhooks })
  await crew.advance('10s')
  const [only, ...others] = received
  expect(others).toEqual([])
  const types = (only!.body['events'] as { type: string }[]).map(({ type }) => type)
  expect(types).toEqual([events[0], events[1], events[1], events[2]])
  expect(only!.headers.authorization).toBe('Bearer sesame')
  expect(JSON.stringify(crew.ledger())).not.toContain('sesame')
})

test('signs with the secret that it was given, wrongly if the profile says so', async () => {
  const { url, received } = await receiver()
  for (const signature of ['correct', 'wrong'] as const) {
    const { crew, kickoff } = await pushing({ signature }, { webhookSecret: 'key' })
    await kickoff({ crewWebhookUrl: url })
    await crew.advance('5s')
  }
  const isRight = received.map(({ headers, text }) => {
    const signed = `${String(headers['x-timestamp'])}.${text}`
    const digest = createHmac('sha256', 'key').update(signed).digest('hex')
    return headers['x-signature'] === `sha256=${digest}`
  })
  expect(isRight).toEqual([true, false])
})

test('repeats a push without a 2xx answer as often as the profile allows', async () => {
  const codes = [500, 404]
  const { url, received } = await receiver(() => codes.shift() ?? 204)
  const { crew, kickoff } = await pushing({ retry: { attempts: 3, wait: '1s' } })
  await kickoff({ crewWebhookUrl: url })
  for (const span of ['5s', '1s', '2s', '1m']) await crew.advance(span)
  const pushes = crew.ledger()[0]!.pushes!
  expect(pushes[0]!.sends.map(({ status }) => status)).toEqual([500, 404, 204])
  expect(pushes[0]!.sends.map(({ at_ms }) => at_ms - pushes[0]!.at_ms)).toEqual([0, 1_000, 3_000])
  expect(received).toHaveLength(3)
})

test.each([[['20m']], [Array.from({ length: 20 }, () => '1m')]])(
  'repeats it at the same times, however time moves: %s',
  async (spans) => {
    const { url } = await receiver(() => 500)
    const { crew, kickoff } = await pushing({ retry: { attempts: 3, wait: '1m' } })
    await kickoff({ crewWebhookUrl: url })
    for (const span of spans) await crew.advance(span)
    const [row] = crew.ledger()
    expect(row!.pushes![0]!.sends).toEqual(
      [5_000, 65_000, 185_000].map((at_ms) => ({ at_ms, lost: false, status: 500 })),
    )
  },
)

test('has the answer to what a kickoff sends before time moves', async () => {
  const { url } = await receiver(() => 500)
  const { crew, kickoff } = await pushing({ retry: { attempts: 2, wait: '1m' } })
  await kickoff({ webhooks: { url, events: ['crew_kickoff_started'] } })
  await crew.advance('10m')
  expect(crew.ledger()[0]!.pushes![0]!.sends.map(({ at_ms }) => at_ms)).toEqual([0, 60_000])
})

test('waits for a receiver only so long, whose push then ends at its limit by the clock', async () => {
  const { url, received } = await receiver(() => null)
  const { crew, kickoff } = await pushing({ retry: { attempts: 2, wait: '1m' } })
  await kickoff({ crewWebhookUrl: url })
  await crew.advance('10m')
  expect(received).toHaveLength(2)
  expect(crew.ledger()[0]!.pushes![0]!.sends).toEqual(
    [5_000, 95_000].map((at_ms) => ({ at_ms, lost: false, status: null })),
  )
})

test('lets a receiver move the clock before it answers', async () => {
  const { url, received } = await receiver(async (path) => {
    if (path === '/task' && received.length === 1) await crew.advance('10s')
    return 204
  })
  const { crew, kickoff } = await pushing()
  await kickoff({ taskWebhookUrl: `${url}/task`, crewWebhookUrl: `${url}/crew` })
  await crew.advance('1m')
  expect(received.map(({ path }) => path)).toEqual(['/task', '/task', '/crew'])
  expect(crew.clock().now_ms).toBe(70_000)
  const sends = crew.ledger()[0]!.pushes!.flatMap((push) => push.sends)
  expect(sends.map(({ at_ms, status }) => [at_ms, status])).toEqual([
    [2_000, 204],
    [5_000, 204],
    [5_000, 204],
  ])
})

test('loses and duplicates pushes by chance, and the ledger has what arrived', async () => {
  const { url, received } = await receiver()
  const delay = { uniform: { min: '0s', max: '10s' } }
  const { crew, kickoff } = await pushing({ lost: '30%', duplicated: '40%', delay })
  for (let i = 0; i < 60; i++) await kickoff({ crewWebhookUrl: url })
  await crew.advance('2m')
  const sends = crew.ledger().flatMap(({ pushes = [] }) => pushes.flatMap((push) => push.sends))
  expect(sends.filter(({ lost }) => !lost)).toHaveLength(received.length)
  expect(sends.length).toBeGreaterThan(70)
  expect(sends.length).toBeLessThan(100)
  expect(received.length).toBeGreaterThan(40)
  expect(received.length).toBeLessThan(75)
})

test('pushes nothing about a failed execution but its failure, and nothing beyond loopback', async () => {
  const { url, received } = await receiver()
  const profile = { ...PROFILE, scripts: [{ when: {}, tasks: { write: { fails: 'No model' } } }] }
  const { crew, kickoff } = await pushing({}, { profile })
  const webhooks = { url, events: ['crew_kickoff_failed', 'crew_kickoff_completed'] }
  await kickoff({ crewWebhookUrl: 'https://crew.example/hook', webhooks })
  await kickoff({ taskWebhookUrl: 'http://10.0.0.1/hook' })
  await crew.advance('10s')
  expect(received.map(({ body }) => (body['events'] as { type: string }[])[0]!.type)).toEqual([
    'crew_kickoff_failed',
  ])
  const [, far] = crew.ledger()
  expect(far!.pushes).toEqual([expect.objectContaining({ hook: 'task', blocked: true, sends: [] })])
})

test('reports an end too early by chance, and the same executions whatever their work shares', async () => {
  const { url } = await receiver()
  const shares = { ...PROFILE, capacity: { workers: 100, slowdown: { shared: 100 } } }
  const [alone, shared] = await Promise.all(
    [PROFILE, shares].map(async (each) => {
      const profile = { ...each, seed: 3, webhooks: { early: '50%' } }
      const { crew, kickoff } = await pushing({}, { profile })
      for (let i = 0; i < 10; i++) await kickoff({ crewWebhookUrl: url })
      await crew.advance('10s')
      return crew.ledger().map(({ pushes = [] }) => pushes[0]!.at_ms)
    }),
  )
  expect(new Set(alone)).toEqual(new Set([2_000, 5_000]))
  expect(shared).toEqual(alone)
})
