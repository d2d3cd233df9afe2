/** Kickoffs with more than inputs, to crews behind other paths, under every engine. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import type { LedgerRow } from '../../../src/crew/ledger.ts'
import { check } from '../../../src/run/check/index.ts'
import type { Engine } from '../../../src/run/options.ts'
import { run } from '../../../src/run/run.ts'
import { conducting } from '../../../src/study/polling/conduct/conduct.ts'
import { enginesThatSend } from '../../support/k6/k6.ts'
import { conductStudy } from '../../../src/study/frame/conduct/conduct.ts'

const PATHS = { inputs: '/v1/inputs', kickoff: '/v1/start', status: '/{id}/status' }

const PROFILE = `
name: elsewhere
dialect: platform
progress: step
inputs: [topic, id, history]
optionalInputs: [id, history]
paths: { inputs: /v1/inputs, kickoff: /v1/start, status: '/{id}/status' }
tasks: [{ id: work, agent: Worker, duration: 60ms, output: 100B }]
`

const SCENARIO = `
export default {
  name: 'shaped',
  arrivals: { clients: 2, iterations: 4 },
  inputs: { topic: 'bees' },
  kickoff: ({ index, inputs }) => ({
    meta: { tenant: 'a', index, topic: inputs.topic },
    crewWebhookUrl: 'http://127.0.0.1:9/hook',
    webhooks: { events: ['done'], authentication: { strategy: 'bearer', token: 'sesame-4711' } },
  }),
  paths: ${JSON.stringify(PATHS)},
  polling: { fixed: '20ms' },
  confirm: 1,
  validity: { lateness: '10s', utilisation: 1, little: 1 },
}
`

let place: string
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'shape-'))
  await writeFile(join(place, 'shaped.ts'), SCENARIO)
  await writeFile(join(place, 'elsewhere.yaml'), PROFILE)
})
afterAll(async () => rm(place, { recursive: true }))

const ENGINES: Engine[] = [...(await enginesThatSend('shapes of kickoffs')), { kind: 'virtual' }]

describe.each(ENGINES)('%j', (engine) => {
  test('runs it, and the ledger has what each kickoff carried, but no token', async () => {
    const { document, folder } = await run(join(place, 'shaped.ts'), {
      profile: join(place, 'elsewhere.yaml'),
      out: join(place, 'out'),
      engine,
    })
    expect(document.outcomes.completed).toBe(4)
    expect(document.contract.rules).toEqual([])
    const ledger = (await readFile(join(folder!, 'ledger.ndjson'), 'utf8')).trim().split('\n')
    const carried = ledger.map((line) => (JSON.parse(line) as LedgerRow).kickoff)
    for (const index of [0, 1, 2, 3]) {
      const meta = expect.objectContaining({ index }) as unknown
      expect(carried).toContainEqual(expect.objectContaining({ meta }))
    }
    expect(carried[0]).toMatchObject({
      meta: { tenant: 'a', topic: 'bees' },
      crewWebhookUrl: 'http://127.0.0.1:9/hook',
      webhooks: { authentication: { strategy: 'bearer', token: '***' } },
    })
  })
})

test('check names the shape that it found, and what it sent', async () => {
  const slow = join(place, 'slow.yaml')
  await writeFile(slow, PROFILE.replace('60ms', '3s'))
  const crew = await startFakeCrew({ profile: slow })
  const { diagnoses, kickoff } = await check({
    target: new URL(crew.url),
    tokens: [crew.token],
    headers: {},
    tls: {},
    env: {},
    wait: '10s',
    firstCall: '10s',
    inputs: null,
    paths: PATHS,
    members: { meta: { tenant: 'a' } },
    confirmKickoff: async () => true,
  })
  await crew.stop()
  const found = new Map(diagnoses.map(({ code, message }) => [code, message]))
  expect(kickoff).toBe('ended')
  expect(found.get('inputs-sent')).toBe('topic, history; not sent: id')
  expect(found.get('contract-kept')).toMatch(/^no rule broken/)
  expect(found.get('shape-known')).toBe(
    'flow, progress in steps, not as documented. States are in `state`, not in `status`. ' +
      'Progress counts steps without a total. An unknown id is answered 200, not 404. ' +
      'The path of inputs is /v1/inputs. The path of kickoff is /v1/start. ' +
      'The path of status is /{id}/status',
  )
})

test('the loops that a study of polling recommends ask there', async () => {
  const scenario = join(place, 'open.ts')
  const open = SCENARIO.replace(/arrivals: .*/, "arrivals: { rate: '2/s', for: '50s' },")
  await writeFile(scenario, open)
  const profile = join(place, 'elsewhere.yaml')
  const { document } = await conductStudy(conducting, {
    scenario,
    executions: 60,
    out: false,
    run: { profile },
  })
  const { python, typescript } = document.recommended!.loops
  expect(python).toContain('f"{base}/{execution}/status"')
  expect(typescript).toContain('`${base}/${id}/status`')
})

test.each([
  [{ kickoff: { inputs: {} } }, 'expected only what stands beside `inputs`'],
  [{ kickoff: 'meta' }, 'expected an object, or a function'],
  [{ kickoff: () => ({ inputs: {} }) }, 'must leave inputs to the option inputs'],
  [{ kickoff: () => 'meta' }, 'must return an object'],
  [{ paths: { status: '/status' } }, 'expected a path with {id} once'],
  [{ paths: { kickoff: 'kickoff' } }, 'expected a path like "/kickoff"'],
  [{ paths: { kickof: '/kickoff' } }, 'kickof'],
])('%j is a mistake', async (more, problem) => {
  const base = { name: 'x', arrivals: { clients: 1, iterations: 1 }, inputs: { topic: 'a' } }
  const options = { engine: 'virtual', profile: 'fast', out: false } as const
  await expect(run({ ...base, ...more } as never, options)).rejects.toThrow(problem)
})
