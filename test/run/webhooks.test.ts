/** Runs that listen for pushes: what they report, against polls and the fake crew's ledger. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { WrittenProfile } from '../../fake-crew/index.ts'
import { startFakeCrew } from '../../fake-crew/index.ts'
import { run } from '../../src/run/run.ts'
import type { Scenario } from '../../src/scenario/define.ts'
import { temporaryFolder } from '../support/cli.ts'

const PROFILE = {
  name: 'pushing',
  seed: 5,
  inputs: ['topic'],
  tasks: [
    { id: 'research', agent: 'Researcher', duration: '100ms', output: '100B' },
    // An early push is sent when this task begins: also a busy machine sees it before the end.
    { id: 'write', agent: 'Writer', duration: '3s', output: '100B' },
  ],
  capacity: { workers: 'unlimited' },
  webhooks: {
    delay: { uniform: { min: '0s', max: '200ms' } },
    lost: '20%',
    duplicated: '20%',
    early: '10%',
  },
} satisfies WrittenProfile

const SCENARIO: Scenario = {
  name: 'pushed',
  arrivals: { rate: '40/s', for: '1s' },
  inputs: { topic: 'bees' },
  polling: { fixed: '200ms' },
  webhooks: { send: ['crew', 'task', 'step', 'events'], wait: '3s' },
  confirm: 0,
  validity: { lateness: '10s', utilisation: 1, little: 1 },
}

const HERE = { profile: PROFILE, out: false } as const

test.concurrent('counts what the ledger has, the same over HTTP and in virtual time', async () => {
  await using out = await temporaryFolder()
  const real = await run(SCENARIO, { profile: PROFILE, out: out.path, engine: 'node' })
  const virtual = await run(SCENARIO, { ...HERE, engine: 'virtual' })
  for (const { document } of [real, virtual]) {
    const { pushes } = document
    expect(pushes!.received).toBe(pushes!.ledger!.sent)
    expect(pushes!.ledger!.lost).toBeGreaterThan(20)
    expect(pushes!.repeated).toBeGreaterThan(20)
    expect(pushes!.refused).toEqual({})
    expect(pushes!.ends).toBe(40)
  }
  const { missed, early, received, repeated, ledger } = virtual.document.pushes!
  expect(real.document.pushes).toMatchObject({ missed, early, received, repeated, ledger })
  expect(missed).toBeGreaterThan(0)
  expect(early).toBeGreaterThan(0)
  const journal = await readFile(join(real.folder!, 'executions.ndjson'), 'utf8')
  expect(journal.split('\n').filter((line) => line.includes('"type":"push"'))).toHaveLength(
    received,
  )
})

test.concurrent('hostile pushes are data: counted, answered, and never a crash', async () => {
  const profile = { ...PROFILE, webhooks: { signature: 'wrong' } } as const
  await using crew = await startFakeCrew({ profile, token: 'organization-token' })
  await using out = await temporaryFolder()
  const scenario = { ...SCENARIO, arrivals: { clients: 1, iterations: 2 } } as Scenario
  const running = run(scenario, {
    target: crew.url,
    tokens: [crew.token],
    out: out.path,
    env: { CREWLOAD_WEBHOOK_SECRET: 'secret-of-signatures' },
  })
  const url = await whenKnown(() => crew.ledger()[0]?.kickoff?.['crewWebhookUrl'] as string)
  const post = async (body: string, path = ''): Promise<number | null> =>
    fetch(url + path, { method: 'POST', body }).then(
      ({ status }) => status,
      () => null,
    )
  const deep = '['.repeat(100_000)
  const statuses = [await post('{'), await post('{}'), await post(deep), await post('{}', '/no')]
  await post('x'.repeat(9 * 1024 * 1024))
  expect(statuses).toEqual([401, 401, 401, 404])
  const { document, folder } = await running
  expect(document.outcomes['completed']).toBe(2)
  expect(document.pushes).toMatchObject({ ends: 2, missed: 2, received: 0 })
  const { refused } = document.pushes!
  expect(refused).toMatchObject({ 'unknown-path': 1, 'too-large': 1 })
  expect(refused['wrong-signature']).toBeGreaterThan(10)
  const files = ['executions.ndjson', 'ledger.ndjson', 'result.json', 'report.html', 'recipe.json']
  for (const file of files) {
    const text = await readFile(join(folder!, file), 'utf8').catch(() => '')
    expect(text).not.toContain('secret-of-signatures')
    expect(text).not.toMatch(/"token":"[0-9a-f]{32}"/)
  }
})

test.concurrent('pushes of unknown executions and unreadable ones are refused without a secret, too', async () => {
  await using crew = await startFakeCrew({ profile: { ...PROFILE, webhooks: {} } })
  const scenario = { ...SCENARIO, arrivals: { clients: 1, iterations: 1 } } as Scenario
  const running = run(scenario, { target: crew.url, tokens: [crew.token], out: false })
  const url = await whenKnown(() => crew.ledger()[0]?.kickoff?.['crewWebhookUrl'] as string)
  const post = async (body: string): Promise<number> =>
    (await fetch(url, { method: 'POST', body })).status
  const unknown = JSON.stringify({ kickoff_id: 'nobody', result: 'x' })
  expect([await post('{'), await post('{}'), await post(unknown)]).toEqual([400, 422, 204])
  const { document } = await running
  expect(document.pushes!.refused).toEqual({
    'not-json': 1,
    'unknown-shape': 1,
    'unknown-id': 1,
  })
  expect(document.pushes!.missed).toBe(0)
})

test('pushes do not change what polls show', async () => {
  const options = { ...HERE, engine: 'virtual' } as const
  const { webhooks: _, ...without } = SCENARIO
  const [pushed, polled] = [await run(SCENARIO, options), await run(without, options)]
  expect(pushed.document.metrics['polls.perExecution']).toEqual(
    polled.document.metrics['polls.perExecution'],
  )
  expect(polled.document.pushes).toBeUndefined()
  expect(Object.keys(polled.document.metrics).some((name) => name.startsWith('pushes'))).toBe(false)
})

test.each([
  [['crew'], {}, {}, 'passed', null],
  [['crew'], { lost: '100%' }, {}, 'failed', 'reported 120 of 120 ends, and 0 had one'],
  [['events'], { early: '100%' }, {}, 'failed', '120 of 120 ends, and 120 had one that came too'],
  [
    ['crew'],
    { lost: '100%' },
    { 'pushes.missed': false },
    'passed',
    'reported 120 of 120 ends, and 0 had one',
  ],
  [['crew'], { lost: '30%' }, {}, 'passed', null],
  [['task', 'step'], {}, {}, 'passed', null],
  [['task', 'step'], { lost: '100%' }, {}, 'passed', 'reported 120 of 120 ends, and 0 had one'],
] as const)(
  'pushes to %j of a crew with %j and %j',
  async (send, faults, thresholds, outcome, said) => {
    const arrivals = { rate: '40/s', for: '3s' }
    const scenario: Scenario = { ...SCENARIO, arrivals, webhooks: { send }, thresholds }
    const profile = { ...PROFILE, webhooks: faults }
    const { document } = await run(scenario, { profile, out: false, engine: 'virtual' })
    const { verdict, findings } = document
    const isProblem = outcome === 'passed' && said !== null
    expect(verdict).toMatchObject({ outcome, problems: isProblem ? 1 : 0 })
    const pushed = findings.filter(({ code }) => code.startsWith('pushes-missing'))
    expect(pushed.map(({ severity }) => severity)).toEqual(
      said === null ? [] : [isProblem ? 'problem' : 'warning'],
    )
    expect(pushed[0]?.message ?? '').toContain(said ?? '')
  },
)

test('the delay of pushes is that of the profile, and thresholds bound it', async () => {
  const thresholds = {
    'pushes.delay.p50': { is: '< 160ms', judge: 'value' },
    'pushes.missed': { is: '< 1%', judge: 'value' },
    'pushes.repeated': { is: '> 1%', judge: 'value' },
    'pushes.refused': '<= 0',
  } as const
  const scenario = { ...SCENARIO, webhooks: { send: ['crew'] }, thresholds } as Scenario
  const { document } = await run(scenario, {
    profile: { ...PROFILE, webhooks: { delay: '150ms' } },
    out: false,
    engine: { kind: 'virtual', network: 'none' },
  })
  const { value } = document.metrics['pushes.delay.p50']!
  expect(value).toBeCloseTo(150, 0)
  const own = document.thresholds.filter(({ metric }) => metric.startsWith('pushes.'))
  expect(own.map(({ status }) => status)).toEqual(['met', 'met', 'missed', 'met'])
})

async function whenKnown(look: () => string | undefined): Promise<string> {
  for (;;) {
    const found = look()
    if (found !== undefined) return found
    await new Promise((resolve) => {
      setTimeout(resolve, 5)
    })
  }
}
