/**
 * The clumsy user: each mistake gets one clear message on stderr, nothing on stdout, and exit code
 * 2; an address at which there is no crew is told at once, with nothing paid.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startFakeCrew } from '../../../fake-crew/index.ts'
import { cli, cliAlone, temporaryFolder } from '../../support/cli.ts'
import type { Answers } from '../../support/targets/loopback.ts'
import { startedStub } from '../../support/targets/loopback.ts'

const place = await temporaryFolder()
const folder = place.path
afterAll(async () => place[Symbol.asyncDispose]())

beforeAll(async () => {
  await writeFile(
    join(folder, 'wrong.ts'),
    `import { defineScenario } from 'crewload'
export default defineScenario({
  name: 'wrong one!',
  arrivals: { rate: 'fast', for: '5m' },
  inputs: {},
  poling: { fixed: '2s' },
  thresholds: { 'kickof.response.p95': '< 1s', 'execution.p95': 'quick' },
})
`,
  )
  await writeFile(join(folder, 'syntax.ts'), 'export default defineScenario({\n  name: ,\n})\n')
  await writeFile(join(folder, 'throws.ts'), "throw new Error('no inputs file')\n")
  await writeFile(
    join(folder, 'wrong.yaml'),
    `name: wrong
inputs: [topic]
speeed: 3
tasks:
  - id: research
    agent: researcher
    duration: { lognormal: { median: 60s, p95: 20s } }
    failure: { chance: 150% }
capacity:
  workers: many
`,
  )
  await writeFile(join(folder, 'slipped.yaml'), 'tasks:\n  - id: research\n   agent: researcher\n')
  await writeFile(join(folder, 'file'), '')
  await writeFile(join(folder, 'empty-tokens'), '\n')
})

/** The same text on every machine: folder and port have names. */
function neutral(text: string): string {
  return text.replaceAll(folder, '<folder>').replaceAll(/(:|port )\d{4,5}\b/g, '$1<port>')
}

const DRY = ['run', 'smoke', '--profile', 'fast', '--dry-run']

const CASES: [title: string, args: string[], env?: Record<string, string>][] = [
  ['an unknown command', ['rum']],
  ['neither a scenario nor a target', ['run', 'stedy']],
  ['an unknown scenario and profile', ['run', 'stedy', '--profile', 'fst']],
  ['an unknown flag', ['run', 'smoke', '--profle', 'fast']],
  ['a flag without its value', ['run', 'smoke', '--profile']],
  ['a number that is none', ['run', 'smoke', '--profile', 'fast', '--speed', 'high']],
  ['a token on the command line', ['run', 'smoke', '--header', 'Authorization: Bearer x']],
  ['no place to go', ['run', 'smoke']],
  ['two places to go', ['run', 'smoke', '--profile', 'fast', '--target', 'http://127.0.0.1:1']],
  ['a target that is no URL', ['run', 'smoke', '--target', 'my-crew'], { CREWLOAD_TOKEN: 't' }],
  ['no token', ['run', 'smoke', '--target', 'http://127.0.0.1:1']],
  [
    'an empty token file',
    ['run', 'smoke', '--target', 'http://127.0.0.1:1', '--token-file', '<folder>/empty-tokens'],
  ],
  [
    'a real target without a budget',
    ['run', 'smoke', '--target', 'https://crew.example'],
    { CREWLOAD_TOKEN: 't' },
  ],
  ['a cost without a price', ['run', 'smoke', '--profile', 'fast', '--max-cost', '10']],
  ['one scenario too many', ['run', 'smoke', 'steady', '--profile', 'fast']],
  ['a word that demo does not take', ['demo', 'now']],
  ['a profile in the place of a scenario', ['run', '<folder>/wrong.yaml', '--profile', 'fast']],
  ['a folder in the place of a scenario', ['run', '<folder>', '--profile', 'fast']],
  ['a report of nothing', ['report']],
  [
    'a token with its scheme',
    ['run', 'smoke', '--target', 'http://127.0.0.1:1'],
    { CREWLOAD_TOKEN: 'Bearer secret' },
  ],
  ['a value that two rules refuse', [...DRY, '--set', 'arrivals.iterations=-1.5']],
  ['an indentation that slipped', ['fake', '--profile', '<folder>/slipped.yaml']],
  ['an unknown scenario', ['run', 'smok', '--profile', 'fast']],
  ['a wrong scenario', ['run', '<folder>/wrong.ts', '--profile', 'fast']],
  ['a scenario that does not compile', ['run', '<folder>/syntax.ts', '--profile', 'fast']],
  ['a scenario that throws', ['run', '<folder>/throws.ts', '--profile', 'fast']],
  [
    'an override of an unknown key',
    ['run', 'smoke', '--profile', 'fast', '--set', 'arrivals.clientz=3'],
  ],
  [
    'an unknown metric',
    ['run', 'smoke', '--profile', 'fast', '--set', 'thresholds={"execution.p9x":"< 1s"}'],
  ],
  ['flags of other engines', [...DRY, '--network', 'lan', '--k6-vus', '2']],
  ['several engines', [...DRY, '--engine', 'node,virtual']],
  ['an unknown profile', ['run', 'smoke', '--profile', 'fats']],
  ['a wrong profile', ['run', 'smoke', '--profile', '<folder>/wrong.yaml']],
  [
    'an unwritable out folder',
    ['run', 'smoke', '--profile', 'fast', '--out', '<folder>/file/reports'],
  ],
  ['a fake crew with a wrong profile', ['fake', '--profile', '<folder>/wrong.yaml']],
  ['a fake crew open to the network', ['fake', '--host', '0.0.0.0']],
  ['a proxy to no target', ['fake', '--proxy', 'crew.example']],
  ['a proxy for faults of a crew', ['fake', '--proxy', 'http://127.0.0.1:9', '--profile', 'chaos']],
  ['a folder that is no run', ['report', '<folder>']],
  ['a journal that is none', ['report', 'merge', '<folder>/file']],
  ['an unknown schema', ['schema', 'metric']],
  ['inputs that are no JSON', ['check', '--profile', 'fast', '--inputs', 'topic=AI']],
]

describe('a mistake', () => {
  test.each(CASES)('%s', async (_, args, env = {}) => {
    const told = await cli(
      args.map((arg) => arg.replace('<folder>', folder)),
      { env, cwd: folder },
    )
    expect(told.stdout).toBe('')
    expect(told.code).toBe(2)
    expect(neutral(told.stderr)).toMatchSnapshot()
  })

  test('ends the process of its own that a shell starts with the same words and code', async () => {
    expect(await cliAlone(['rum'], { cwd: folder })).toEqual(await cli(['rum'], { cwd: folder }))
  })

  test('a port that is taken', async () => {
    await using fake = await startFakeCrew({ profile: 'fast' })
    const told = await cli(['fake', '--port', new URL(fake.url).port])
    expect(told.code).toBe(2)
    expect(neutral(told.stderr)).toMatchSnapshot()
  })
})

const ENV = { CREWLOAD_TOKEN: 'sesame-4711' }
const NO_CREW = 'this does not look like a crew: check the base URL'
const html =
  (status: number, text: string): Answers =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end(text)
  }

const STRANGERS: [string, Answers, string][] = [
  ['a plain file server', html(404, '<h1>Not Found</h1>'), NO_CREW],
  ['a page for every path', html(200, '<!doctype html><title>x</title>'), NO_CREW],
  [
    'a redirect to a login',
    (_, response) => {
      response.writeHead(302, { location: '/login' }).end()
    },
    'redirects elsewhere, which is not followed',
  ],
]

describe.concurrent('what is no crew', () => {
  test.each(STRANGERS)('%s gets no kickoff, by run, check or saturate', async (_, acts, words) => {
    const methods: string[] = []
    await using stranger = await startedStub((request, response) => {
      methods.push(request.method ?? '')
      acts(request, response)
    })
    const target = ['--target', stranger.url]
    for (const args of [
      ['run', 'smoke', ...target],
      ['check', ...target],
      ['saturate', 'kickoff', ...target, '--max-kickoffs', '1000'],
    ]) {
      const { code, stderr } = await cli(args, { env: ENV, cwd: folder })
      expect([code, stderr]).toEqual([5, expect.stringContaining(words)])
    }
    expect(methods).not.toContain('POST')
  })

  test('a wrong path at a crew is none either', async () => {
    const crew = await startFakeCrew({ profile: 'fast' })
    const args = ['check', '--target', `${crew.url}/v1/crew`]
    const { code, stderr } = await cli(args, { env: { CREWLOAD_TOKEN: crew.token } })
    await crew.stop()
    expect(stderr).toContain('check the base URL (found GET /inputs answered 404')
    expect(code).toBe(5)
  })

  test('https to a port of http is told the scheme', async () => {
    await using plain = await startedStub((_, response) => response.end('{}'))
    const https = plain.url.replace('http:', 'https:')
    const args = ['run', 'smoke', '--target', https, '--max-kickoffs', '1']
    const { code, stderr } = await cli(args, { env: ENV })
    expect(stderr).toContain('it does not use TLS: use http://')
    expect(stderr).not.toContain('certificate')
    expect(code).toBe(5)
  })
})
